// Entry point of a job thread: one export for each job, called by its name.
export {};
