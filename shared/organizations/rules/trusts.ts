import { LONGEST_CLAIM, type VerifiedIdentity } from '#shared/callers/verified-identity.ts';
import { canMatch, claimText, hasWildcard, isBound, matchesPattern } from './claim-patterns.ts';
import { type Limit, PRESET, type PresetName, presetOfIssuer } from './trust-presets.ts';

/** Which tokens a trust accepts (rules/identities.md#trusts). */

export interface BoundClaim {
  name: string;
  /** Patterns; the claim has to match one of them. */
  values: readonly string[];
}

export interface TrustRule {
  name: string;
  preset: PresetName;
  issuer: string;
  audience: string;
  claims: readonly BoundClaim[];
}

/** The longest time that a key can work that was exchanged for a token, in minutes. */
export const MOST_MINUTES = 60;

/** Claims that the service compares itself. A trust cannot bind them. */
const COMPARED = new Set(['iss', 'aud', 'exp', 'nbf', 'iat', 'jti']);
/** This claim names the workflow file that runs, wherever it is called from. */
const CALLED_WORKFLOW = 'job_workflow_ref';
/** Claims with names that somebody else can get later, and claims with ids that stay. */
const NAME_AND_IDS: readonly (readonly [string, readonly string[]])[] = [
  ['repository', ['repository_id', 'repository_owner_id']],
  ['project_path', ['project_id', 'namespace_id']],
  ['pipeline_slug', ['pipeline_id', 'organization_id']],
];

/**
 * Returns what is wrong with the claims of a trust, by field; empty if nothing is
 * (rules/identities.md#claims-that-a-trust-has-to-bind).
 */
export function trustErrors({ preset, issuer, claims }: Omit<TrustRule, 'name' | 'audience'>): Map<string, string> {
  const errors = new Map<string, string>();
  const own = presetOfIssuer(issuer);
  if (own !== undefined && own !== preset) {
    errors.set(
      'preset',
      `Everybody can get tokens of this issuer. Use the preset '${own}', which asks for the claims that name a pipeline`,
    );
  }
  const { names } = PRESET[preset];
  const bound = new Map(claims.map(({ name, values }) => [name, values]));
  for (const { name, values } of claims) {
    if (COMPARED.has(name)) errors.set(`claims.${name}`, 'The service compares this claim itself. Bind another claim');
    else if (!values.every(isBound))
      errors.set(`claims.${name}`, "Each pattern should have a letter or a digit beside '*'");
  }
  if (claims.length === 0) errors.set('claims', 'Bind at least one claim');
  if (names.length > 0 && !names.some((set) => set.every((name) => bound.has(name)))) {
    errors.set(
      'claims',
      `Bind ${names.map((set) => set.join(' and ')).join(', or ')}. Otherwise pipelines of others match too`,
    );
  }
  for (const name of new Set(names.flat())) {
    const wrong = nameError(bound, name);
    if (wrong !== undefined && !errors.has(`claims.${name}`)) errors.set(`claims.${name}`, wrong);
  }
  const wrong = names.flat().includes('repository') ? workflowError(bound) : undefined;
  if (wrong !== undefined) errors.set(`claims.${CALLED_WORKFLOW}`, wrong);
  return errors;
}

/** Claims that name a pipeline take no `*`: a person who can choose a name could choose one that matches. */
function nameError(bound: ReadonlyMap<string, readonly string[]>, name: string): string | undefined {
  const wild = (bound.get(name) ?? []).filter(hasWildcard);
  if (wild.length === 0) return undefined;
  if (name !== 'repository') return "A claim that names the pipeline takes no '*'. List the exact values";
  const isWhole = wild.every((pattern) => /^[^*/]+\/\*$/.test(pattern));
  if (isWhole && bound.has(CALLED_WORKFLOW)) return undefined;
  return `'*' is possible only for all repositories of an owner, as in 'acme/*', and only if ${CALLED_WORKFLOW} names one workflow file. List the exact values instead`;
}

/**
 * All repositories of an owner may call the workflow, so its file has to be known: a person who can push to a branch that a `*`
 * matches could change the file.
 */
function workflowError(bound: ReadonlyMap<string, readonly string[]>): string | undefined {
  const isForAll = (bound.get('repository') ?? []).some(hasWildcard);
  const isExact = (bound.get(CALLED_WORKFLOW) ?? []).every((pattern) => /^[^*]+@[^*]+$/.test(pattern));
  if (!isForAll || isExact) return undefined;
  return "With '*' in repository, this claim has to name one workflow file at one reference, without '*', as in 'acme/ci/.github/workflows/release.yml@refs/heads/main'";
}

/** Returns sentences about known traps of a trust (rules/identities.md#warnings). */
export function trustWarnings({ preset, claims }: TrustRule, privilege: string | undefined): string[] {
  const bound = new Map(claims.map(({ name, values }) => [name, values]));
  const { limits } = PRESET[preset];
  const warnings: string[] = [];
  for (const [name, ids] of NAME_AND_IDS) {
    if (bound.has(name) && !ids.some((id) => bound.has(id))) {
      warnings.push(
        `Somebody else can get the name in '${name}' after a rename or a deletion. Bind '${ids.join("' or '")}' too, which stays.`,
      );
    }
  }
  if (limits.length > 0 && !limits.some((limit) => keepsRequestsOut(limit, bound.get(limit.claim)))) {
    const names = limits.map(({ claim }) => claim).join(', ');
    warnings.push(
      `Runs for pull requests and merge requests match too, and they may come from forks. Bind one of ${names} to values that such runs do not have.`,
    );
  }
  for (const { name, values } of claims) {
    if (name === 'sub' && values.some(hasWildcard)) {
      warnings.push(
        "The format of 'sub' can be changed in the CI system, and '*' in it can match more than was meant. Bind the claims of their own instead.",
      );
    }
  }
  if (preset === 'any' && claims.every(({ values }) => values.some(hasWildcard))) {
    warnings.push("Every pattern has '*'. Bind one claim to an exact value.");
  }
  if (privilege === 'admin') {
    warnings.push(
      'The service account is admin, so no token is accepted. Give it a lower privilege, or save the trust with another service account.',
    );
  }
  return warnings;
}

/** Returns whether a claim is bound, and its patterns match no run for a pull request or a merge request. */
function keepsRequestsOut({ requests, chosen = [] }: Limit, patterns: readonly string[] = []): boolean {
  const matchesNone = (pattern: string) => {
    const forms = hasWildcard(pattern) ? [...requests, ...chosen] : requests;
    return !forms.some((form) => canMatch(pattern, form));
  };
  return patterns.length > 0 && patterns.every(matchesNone);
}

/** The claims of a token whose signature was verified. */
type SignedClaims = Readonly<Record<string, unknown>> & { aud?: unknown };
/** The claims of a token that passed the whole verification. */
type TokenClaims = SignedClaims & { iss: string; sub: string };

/** The trust that accepts a token, or why none does. `differing` are the claims that differ from the first trust. */
type Choice<T> = { trust: T } | { refused: 'audience' | 'claims'; differing: string[] };

/**
 * Chooses the first trust by name that accepts a token (rules/identities.md#choice-of-the-trust).
 *
 * @param trusts trusts of the issuer of the token
 */
export function chooseTrust<T extends TrustRule>(trusts: readonly T[], token: SignedClaims): Choice<T> {
  const sorted = trusts.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const audiences: unknown[] = Array.isArray(token.aud) ? token.aud : [token.aud];
  const forAudience = sorted.filter(({ audience }) => audiences.includes(audience));
  const [first] = forAudience;
  if (!first) return { refused: 'audience', differing: ['aud'] };
  const trust = forAudience.find(({ claims }) => differingClaims(claims, token).length === 0);
  return trust ? { trust } : { refused: 'claims', differing: differingClaims(first.claims, token) };
}

const differingClaims = (claims: readonly BoundClaim[], token: SignedClaims): string[] =>
  claims
    .filter(({ name, values }) => {
      const text = claimText(token, name);
      return text === undefined || !values.some((pattern) => matchesPattern(pattern, text));
    })
    .map(({ name }) => name);

/**
 * Returns the identity that a token proves (rules/identities.md#verified-identity).
 *
 * @returns the name of a claim instead, if its value is too long to be kept
 */
export function identityOf(trust: TrustRule, token: TokenClaims): { identity: VerifiedIdentity } | { tooLong: string } {
  const { facts } = PRESET[trust.preset];
  const claims = trust.claims.map(({ name }) => [name, claimText(token, name) ?? ''] as const);
  const found = Object.entries(facts).flatMap(([fact, names]) => {
    const name = names.find((one) => (claimText(token, one) ?? '') !== '');
    return name === undefined ? [] : [{ fact, name, text: claimText(token, name) ?? '' }];
  });
  const kept = [['sub', token.sub] as const, ...claims, ...found.map(({ name, text }) => [name, text] as const)];
  const tooLong = kept.find(([, text]) => text.length > LONGEST_CLAIM);
  if (tooLong) return { tooLong: tooLong[0] };
  return {
    identity: {
      trust: trust.name,
      issuer: token.iss,
      subject: token.sub,
      ...Object.fromEntries(found.map(({ fact, text }) => [fact, text])),
      claims: Object.fromEntries(claims),
    },
  };
}
