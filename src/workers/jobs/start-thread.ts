/** Does nothing. Piscina starts a thread for a job that comes, and not for jobs that wait when their thread ends. */
export function startThread(): void {}
