/** A version of a release: three numbers without leading zeros, as Semantic Versioning 2.0.0 writes them. */
const VERSION = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/;

export const isVersion = (text: string): boolean => VERSION.test(text);

/** Compares two versions. @returns a negative number if the first is older */
export function compareVersions(one: string, other: string): number {
  const [first, second] = [one, other].map((version) => version.split('.').map(Number));
  const differences = (first ?? []).map((number, i) => number - (second?.[i] ?? 0));
  return differences.find((difference) => difference !== 0) ?? 0;
}
