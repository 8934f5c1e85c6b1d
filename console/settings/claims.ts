/** Claims of a trust as a person types them: one pattern per line, `repository = acme/web`. */

type Claims = Readonly<Record<string, readonly string[]>>;

export const claimsText = (claims: Claims): string =>
  Object.entries(claims)
    .flatMap(([name, patterns]) => patterns.map((pattern) => `${name} = ${pattern}`))
    .join('\n');

const LINE = /^\s*([^=]+?)\s*=\s*(.*?)\s*$/;
const linesOf = (text: string): string[] => text.split(/\r?\n/).filter((line) => line.trim() !== '');

/** What is wrong with the text; undefined if nothing is. */
export function claimsProblem(text: string): string | undefined {
  const wrong = linesOf(text).find((line) => !LINE.test(line));
  return wrong === undefined ? undefined : `Write «claim = pattern». This line has no =: ${wrong.trim()}`;
}

/** Several lines with the same claim are patterns of which one has to match. */
export function readClaims(text: string): Record<string, string[]> {
  const claims = new Map<string, string[]>();
  for (const line of linesOf(text)) {
    const [, name = '', pattern = ''] = LINE.exec(line) ?? [];
    claims.set(name, [...(claims.get(name) ?? []), pattern]);
  }
  return Object.fromEntries(claims);
}
