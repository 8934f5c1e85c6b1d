/** The most recipients that one mail may have: the mail service's own limit. */
export const MOST_RECIPIENTS = 50;

/**
 * Printable ASCII around one `@`, and a domain with a dot: narrower than RFC 5322, and nothing of what it allows can end
 * a header or begin another recipient.
 */
const ADDRESS =
  /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i;

/** Whether a text is one address that mail may be sent to, without a name. */
export const isMailAddress = (text: string): boolean => text.length <= 254 && ADDRESS.test(text);
