/** The part of a trust that says whose tokens it accepts, and as whom. */
interface Terms {
  account: { id: string };
  preset: string;
  issuer: string;
  audience: string;
  claims: readonly { name: string; values: readonly string[] }[];
  minutes: number;
}

/**
 * Returns whether a trust accepts only tokens that another accepts, for the same service account and for no longer. Values are
 * compared as texts, so a pattern that matches less but is written otherwise does not count as narrower.
 */
export const isNarrower = (one: Terms, other: Terms): boolean =>
  one.account.id === other.account.id &&
  one.preset === other.preset &&
  one.issuer === other.issuer &&
  one.audience === other.audience &&
  one.minutes <= other.minutes &&
  other.claims.every(({ name, values }) => {
    const asked = one.claims.find((claim) => claim.name === name);
    return asked?.values.every((value) => values.includes(value)) ?? false;
  });
