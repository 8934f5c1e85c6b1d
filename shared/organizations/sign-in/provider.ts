/** The identity provider that people sign in with (rules/sign-in.md#provider). */
export interface SignInProvider {
  /** The issuer, exactly as its tokens name it. */
  issuer: string;
  clientId: string;
  /** Returns the secret of the client; undefined for a client without one. */
  secret: () => Promise<string | undefined>;
  /** Separated by spaces; `openid` is one of them. */
  scopes: string;
  /** Name of the claim with the groups of a person. */
  groupsClaim: string;
  /** The kinds of rules that organizations may use. */
  rules: readonly ('domain' | 'group')[];
}

/** Where people sign in; absent if the stage has no identity provider, and in functions that sign nobody in. */
export interface SignInServices {
  signIn?: SignInProvider | undefined;
}
