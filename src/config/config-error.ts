/** A setting, flag or folder that the service cannot start with; the message is one line for the user. */
export class ConfigError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ConfigError';
  }
}
