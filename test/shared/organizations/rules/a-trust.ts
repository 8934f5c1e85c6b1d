import type { TrustRule } from '#shared/organizations/rules/trusts.ts';

export const ISSUER = 'https://issuer.example.com';

/** A trust with exact values or patterns for claims. */
export const aTrust = (claims: Record<string, string | string[]>, more: Partial<TrustRule> = {}): TrustRule => ({
  name: 'ci',
  preset: 'github',
  issuer: ISSUER,
  audience: 'https://evidence.example.com',
  claims: Object.entries(claims).map(([name, values]) => ({ name, values: [values].flat() })),
  ...more,
});
