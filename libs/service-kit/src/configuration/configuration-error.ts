/** One thing wrong with the configuration. */
export interface ConfigurationFault {
  /** `Agentstration:Http:Port`, or the variable or file itself when no key is meant. */
  readonly key: string;
  /** The environment variable of that key, `Agentstration__Http__Port`. */
  readonly variable?: string;
  /** What is wrong and what is allowed; never the value, which may be a secret. */
  readonly message: string;
}

/** The configuration cannot be used. Lists every fault at once; {@link runService} prints it plainly. */
export class ConfigurationError extends Error {
  readonly explainsItself = true;

  constructor(readonly faults: readonly ConfigurationFault[]) {
    super(['The configuration cannot be used:', ...faults.map(toLine)].join('\n'));
    this.name = 'ConfigurationError';
  }
}

const toLine = ({ key, variable, message }: ConfigurationFault): string => `  ${key}${variable ? ` (${variable})` : ''} ${message}`;
