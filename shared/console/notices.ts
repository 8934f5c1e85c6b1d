/** File of the console with the third-party notices. It has the same name in each release (rules/web-console.md#third-party-notices). */
export const NOTICES_FILE = 'third-party-notices.txt';
