/** Error for a setting, flag or folder with which the service cannot start; its message is one line for the user. */
export class ConfigError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ConfigError';
  }
}
