import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Configuration } from './configuration.ts';
import type { ConfigurationFault } from './configuration-error.ts';
import { faultAt, toKey } from './configuration-key.ts';
import type { KeyPath } from './schema-node.ts';

/** One statement about several keys. It is asked only when all that it reads is well formed. */
interface Rule {
  readonly reads: readonly KeyPath[];
  readonly check: (configuration: Configuration, environment: NodeJS.ProcessEnv) => ConfigurationFault[];
}

const rules: readonly Rule[] = [
  { reads: [['Authentication']], check: checkJwt },
  {
    reads: [
      ['Authentication', 'Mode'],
      ['Http', 'Host'],
    ],
    check: checkDevelopment,
  },
  { reads: [['Nats']], check: checkNats },
  {
    reads: [
      ['Journal', 'RequiredDurability'],
      ['Nats', 'MonitoringUrls'],
    ],
    check: checkDurability,
  },
  { reads: [['Database', 'Url']], check: checkUrls },
  { reads: [['ToolProviders', 'AllowedPrivateHosts']], check: checkPrivateHosts },
];

/** What no schema of single keys can say: which keys go together. `known` are the faults of single keys. */
export const checkRules = (
  configuration: Configuration,
  environment: NodeJS.ProcessEnv,
  known: readonly ConfigurationFault[],
): ConfigurationFault[] =>
  rules
    .filter(({ reads }) => !reads.some((path) => known.some(({ key }) => touches(key, toKey(path)))))
    .flatMap(({ check }) => check(configuration, environment));

/** Whether one key is, or lies below, the other. */
const touches = (one: string, other: string): boolean => `${one}:`.startsWith(`${other}:`) || `${other}:`.startsWith(`${one}:`);

function checkJwt({ Authentication }: Configuration): ConfigurationFault[] {
  if (Authentication.Mode !== 'Jwt') return [];
  const at = (key: string): KeyPath => ['Authentication', key];
  const missing = (['Issuer', 'Audience'] as const)
    .filter((key) => Authentication[key] === undefined)
    .map((key) => faultAt(at(key), 'is required while Agentstration:Authentication:Mode is Jwt'));
  const { JwksUrl, JwksFile } = Authentication;
  if (JwksUrl !== undefined && JwksFile !== undefined)
    return [...missing, faultAt(at('JwksFile'), 'must not be given together with JwksUrl')];
  if (JwksUrl !== undefined || JwksFile !== undefined) return missing;
  return [...missing, faultAt(at('JwksUrl'), 'is required while Agentstration:Authentication:Mode is Jwt (or JwksFile instead)')];
}

/** Development tokens are for one person's own machine: whoever reads the key file is admin. */
function checkDevelopment({ Authentication, Http }: Configuration, environment: NodeJS.ProcessEnv): ConfigurationFault[] {
  if (Authentication.Mode !== 'Development') return [];
  const faults: ConfigurationFault[] = [];
  if (environment.NODE_ENV === 'production') {
    faults.push(faultAt(['Authentication', 'Mode'], 'must be Jwt while NODE_ENV is production: Development is for one machine only'));
  }
  if (!isLoopback(Http.Host)) {
    faults.push(
      faultAt(
        ['Http', 'Host'],
        'must be a loopback address (127.0.0.1, ::1 or localhost) while Agentstration:Authentication:Mode is Development',
      ),
    );
  }
  return faults;
}

/** `localhost`, `::1` and all of `127.0.0.0/8`. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || (isIP(host) !== 0 && ipaddr.parse(host).range() === 'loopback');

function checkNats({ Nats: nats }: Configuration): ConfigurationFault[] {
  const at = (key: string, message: string): ConfigurationFault => faultAt(['Nats', key], message);
  const faults: ConfigurationFault[] = [];
  const methods = (['User', 'Token', 'NKeySeed', 'Credentials'] as const).filter((key) => nats[key] !== undefined);
  if (methods.length > 1) faults.push(at(methods[1] ?? '', `must not be given together with ${methods[0]}: one way to authenticate`));
  if (nats.User !== undefined && nats.Password === undefined) faults.push(at('Password', 'is required with User (or PasswordFile)'));
  if (nats.User === undefined && nats.Password !== undefined) faults.push(at('User', 'is required with Password'));
  const { CertFile, KeyFile } = nats.Tls;
  if ((CertFile === undefined) !== (KeyFile === undefined)) {
    faults.push(faultAt(['Nats', 'Tls', CertFile === undefined ? 'CertFile' : 'KeyFile'], 'is required: certificate and key go together'));
  }
  return faults;
}

function checkDurability({ Journal, Nats }: Configuration): ConfigurationFault[] {
  if (Journal.RequiredDurability !== 'power' || Nats.MonitoringUrls.length > 0) return [];
  return [
    faultAt(['Nats', 'MonitoringUrls'], 'is required while Agentstration:Journal:RequiredDurability is power: the level is read there'),
  ];
}

/** The pattern sees the scheme; only the parser sees the rest. */
function checkUrls({ Database }: Configuration): ConfigurationFault[] {
  return URL.canParse(Database.Url) ? [] : [faultAt(['Database', 'Url'], 'must be a URL postgres://user:password@host:port/database')];
}

function checkPrivateHosts({ ToolProviders }: Configuration): ConfigurationFault[] {
  return ToolProviders.AllowedPrivateHosts.flatMap((entry, index) =>
    isPrivateHost(entry)
      ? []
      : [faultAt(['ToolProviders', 'AllowedPrivateHosts', String(index)], 'must be host:port, *.suffix or a CIDR block')],
  );
}

const hostAndPort = /^(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\]):\d{1,5}$/;
const suffix = /^\*(?:\.[A-Za-z0-9-]+)+$/;

const isPrivateHost = (entry: string): boolean =>
  entry.includes('/') ? ipaddr.isValidCIDR(entry) : hostAndPort.test(entry) || suffix.test(entry);
