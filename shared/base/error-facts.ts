/** Returns the text of what was thrown. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Returns the name of an error. The SDK names its errors by what the service answered. */
export const nameOfError = (error: unknown): string | undefined => (error instanceof Error ? error.name : undefined);

/** Returns the fields of an error for a line of the log. */
export const errorFacts = (error: unknown): Record<string, unknown> =>
  error instanceof Error
    ? { error: error.name, error_message: error.message, stack: error.stack ?? null }
    : { error: typeof error, error_message: String(error) };
