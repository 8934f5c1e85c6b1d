/** The most recipients of one mail: a limit of the mail service. */
export const MOST_RECIPIENTS = 50;

const LABEL = '[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?';
/**
 * Printable ASCII around one `@`, and a domain with a dot. This is narrower than RFC 5322. No accepted character can
 * end a header or start another recipient.
 */
const ADDRESS = `[A-Za-z0-9.!#$%&'*+/=?^_\`{|}~-]{1,64}@(${LABEL}[.])+${LABEL}`;

/** The longest address in characters. */
export const LONGEST_ADDRESS = 254;
/** The form of one address; spaces around it do not count. */
export const MAIL_PATTERN = `^ *${ADDRESS} *$`;
/** The form of a text with addresses. It does not count them: RE2 cannot read a count around the counts of a label. */
export const MAIL_LIST_PATTERN = `^ *${ADDRESS} *(, *${ADDRESS} *)*$`;

const ONE_ADDRESS = new RegExp(`^${ADDRESS}$`);

/** Returns whether a text is one mail address without a display name. */
export const isMailAddress = (text: string): boolean => text.length <= LONGEST_ADDRESS && ONE_ADDRESS.test(text);
