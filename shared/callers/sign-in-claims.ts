import * as z from 'zod';

/** What the provider said about a person at the sign-in, as far as rules read it. It stays as it is until the next sign-in. */
export const SignInClaims = z.object({
  /** Domain of the verified e-mail address, in lower case. Absent without one, and if the stage allows no rules of domains. */
  domain: z.string().optional(),
  /** Empty if the stage allows no rules of groups. */
  groups: z.array(z.string()),
});
export type SignInClaims = z.infer<typeof SignInClaims>;
