/**
 * Refuses a name that something has already: the service would change that one instead of making another.
 *
 * @param what with its article: `a signer`
 * @param form what the form on its page is for
 * @returns the error by the name of the field; empty if the name is free
 */
export const refuseTaken = (
  what: string,
  given: string,
  taken: readonly { name: string }[],
  form = 'that changes it',
): Record<string, string> => {
  const name = given.trim();
  return taken.some((one) => one.name === name)
    ? { name: `There is ${what} ${name}. Its page has a form ${form}.` }
    : {};
};
