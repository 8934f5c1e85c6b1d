import { isReserved } from '#shared/base/reserved-names.ts';
import { encodeText } from '#shared/base/well-formed.ts';

/**
 * The addresses of the console's pages: each pattern and the name of its page. The server answers 404 for an address that
 * is not in this table, and the browser makes its router from it (rules/web-console.md#addresses).
 *
 * `{name}` stands for one segment, `{org}` for one that can be the name of an organization, and a last `{name+}` for the
 * rest of the path, one segment or more.
 */
export const PAGES = {
  '/': 'organizations',
  '/-/sign-in': 'sign-in',
  '/-/account': 'account',
  '/-/glossary': 'glossary',
  '/{org}': 'home',
  '/{org}/environments': 'environments',
  '/{org}/environments/{env}': 'environment',
  '/{org}/environments/{env}/snapshots/{expression}': 'snapshot',
  '/{org}/environments/{env}/history': 'environment-history',
  '/{org}/environments/{env}/policies': 'environment-policies',
  '/{org}/environments/{env}/allowed': 'environment-allowed',
  '/{org}/environments/{env}/settings': 'environment-settings',
  '/{org}/compare': 'compare',
  '/{org}/flows': 'flows',
  '/{org}/flows/{flow}': 'flow',
  '/{org}/flows/{flow}/trails/{trail}': 'trail',
  '/{org}/flows/{flow}/artifacts/{fingerprint}': 'artifact',
  '/{org}/frequency': 'frequency',
  '/{org}/attestations': 'attestations',
  '/{org}/components': 'components',
  '/{org}/watches': 'watches',
  '/{org}/watches/{watch}': 'watch',
  '/{org}/artifacts': 'artifacts',
  '/{org}/builds': 'builds',
  '/{org}/repos': 'repos',
  '/{org}/repos/{repo+}': 'repo',
  '/{org}/policies': 'policies',
  '/{org}/policies/{policy}': 'policy',
  '/{org}/controls': 'controls',
  '/{org}/controls/{control}': 'control',
  '/{org}/controls/{control}/decisions': 'control-decisions',
  '/{org}/controls/{control}/coverage': 'control-coverage',
  '/{org}/controls/{control}/versions': 'control-versions',
  '/{org}/expectations': 'expectations',
  '/{org}/expectations/{expectation}': 'expectation',
  '/{org}/gaps': 'gaps',
  '/{org}/gaps/{gap}': 'gap',
  '/{org}/evaluations': 'evaluations',
  '/{org}/evaluations/{evaluation}': 'evaluation',
  '/{org}/signers': 'signers',
  '/{org}/signers/{signer}': 'signer',
  '/{org}/trust-roots': 'trust-roots',
  '/{org}/trust-roots/{root}': 'trust-root',
  '/{org}/recalls': 'recalls',
  '/{org}/recalls/{recall}': 'recall',
  '/{org}/types': 'types',
  '/{org}/types/{type}': 'type',
  '/{org}/actions': 'actions',
  '/{org}/actions/{action}': 'action',
  '/{org}/deliveries': 'deliveries',
  '/{org}/search': 'search',
  '/{org}/audit': 'audit',
  '/{org}/exports': 'exports',
  '/{org}/people': 'people',
  '/{org}/drafts': 'drafts',
  '/{org}/drafts/{draft}': 'draft',
  '/{org}/connect': 'connect',
  '/{org}/settings': 'settings',
  '/{org}/service-accounts/{account}': 'service-account',
} as const;

export type PagePattern = keyof typeof PAGES;
export type PageName = (typeof PAGES)[PagePattern];

/**
 * Further addresses of pages, which the command-line client writes into summaries, and the pattern of the page
 * (rules/web-console.md#aliases). `{name:digits}` stands for one segment of digits.
 */
export const ALIASES = {
  '/{org}/environments/{env}/': '/{org}/environments/{env}',
  '/{org}/environments/{env}/{expression:digits}': '/{org}/environments/{env}/snapshots/{expression}',
} as const satisfies Record<string, PagePattern>;

/** The page of an address. */
export interface FoundPage {
  name: PageName;
  /** The pattern of the page, also if the address is an alias. */
  pattern: PagePattern;
  /** The values of the names in the pattern. */
  params: Readonly<Record<string, string>>;
}

/**
 * Finds the page of an address.
 *
 * @param path decoded, without query
 * @returns undefined if the console has no such page
 */
export function findPage(path: string): FoundPage | undefined {
  const given = path.split('/');
  for (const { pattern, segments } of FORMS) {
    const params = paramsOf(segments, given);
    if (params) return { name: PAGES[pattern], pattern, params };
  }
  return undefined;
}

type NamesIn<P extends string> = P extends `${string}{${infer Name}}${infer Rest}`
  ? (Name extends `${infer Short}+` ? Short : Name) | NamesIn<Rest>
  : never;

/**
 * Returns the address of a page of an organization, as `html_url` in answers.
 *
 * @param at the scheme and authority of the service, and the organization
 * @param params the values of the other names in the pattern
 */
export function pageUrl<P extends PagePattern>(
  { host, org }: { host: string; org: { name: string } },
  pattern: P,
  params: Readonly<Record<Exclude<NamesIn<P>, 'org'>, string>>,
): string {
  const values: Readonly<Record<string, string>> = { ...params, org: org.name };
  const encoded = (text: string) => text.split('/').map(encodeText).join('/');
  return host + pattern.replaceAll(/\{(\w+)\+?\}/g, (_, name: string) => encoded(values[name] ?? ''));
}

/** All forms of addresses. At most one of them fits an address, so their order has no meaning. */
const FORMS: readonly { pattern: PagePattern; segments: readonly string[] }[] = [
  // `Object.keys` returns plain texts.
  ...(Object.keys(PAGES) as PagePattern[]).map((pattern) => ({ pattern, segments: pattern.split('/') })),
  ...Object.entries(ALIASES).map(([alias, pattern]) => ({ pattern, segments: alias.split('/') })),
];

/** Returns the values of the parameters, or undefined if the path does not fit. */
function paramsOf(segments: readonly string[], given: readonly string[]): Record<string, string> | undefined {
  const params: Record<string, string> = {};
  for (const [i, segment] of segments.entries()) {
    const [, name, kind] = /^\{(\w+)(\+|:digits)?\}$/.exec(segment) ?? [];
    const value = kind === '+' ? given.slice(i).join('/') : (given[i] ?? '');
    if (name === undefined ? given[i] !== segment : !mayBe(name, kind, value)) return undefined;
    if (name !== undefined) params[name] = value;
    if (kind === '+') return params;
  }
  return segments.length === given.length ? params : undefined;
}

function mayBe(name: string, kind: string | undefined, value: string): boolean {
  if (name === 'org') return /^[A-Za-z0-9]/.test(value) && !isReserved(value);
  return kind === ':digits' ? /^\d+$/.test(value) : value !== '' && !value.startsWith('/');
}
