/** The most recipients of one mail: a limit of the mail service. */
export const MOST_RECIPIENTS = 50;

/**
 * Printable ASCII around one `@`, and a domain with a dot. This is narrower than RFC 5322. No accepted character can
 * end a header or start another recipient.
 */
const ADDRESS =
  /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i;

/** Returns whether a text is one mail address without a display name. */
export const isMailAddress = (text: string): boolean => text.length <= 254 && ADDRESS.test(text);
