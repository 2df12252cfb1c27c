/** A way to start the service. */
export interface ServiceStart {
  /** Where its log is, in words. */
  log: string;
  /** Advice if it does not start. */
  advice: string;
  begin(): Started | Promise<Started>;
}

export interface Started {
  /** The process that was started; undefined if a service manager or another process starts it. */
  pid?: number | undefined;
  /** Ends that process. */
  giveUp?: () => void;
  hasEnded: () => boolean | Promise<boolean>;
  /** Returns the lines that the log has gained since the start. */
  written: () => string | Promise<string>;
}
