/** What forms say of names of signers, trust roots and recalls. */
export const NAME_NOTE = 'Letters, digits and - _ . such as release. It cannot be changed.';
