/** The oldest broker that is recommended for a replicated Journal. */
const recommended = [2, 12] as const;

/**
 * What an operator should know of a broker that verifies and still cannot be trusted with replicas; undefined when there is
 * nothing. It closes nothing: on these brokers no call without its record was seen, but readers that are answered by
 * different replicas may be told different facts.
 *
 * @param broker `version` as the broker names it, e.g. `2.9.10`, and the Journal's replicas
 */
export function adviceOn({ version, replicas }: { readonly version: string; readonly replicas: number }): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isOlder = major < recommended[0] || (major === recommended[0] && minor < recommended[1]);
  if (replicas <= 1 || !isOlder) return undefined;
  return (
    `nats-server ${version} keeps ${replicas} replicas of the Journal, and is older than ${recommended.join('.')}: after several of ` +
    'its servers were killed, replicas can hold different messages. Upgrade the broker.'
  );
}
