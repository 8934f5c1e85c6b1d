import type { PageName } from '#shared/console/pages.ts';

/** A step of the way from the organization to a page. The last one is the page itself. */
interface Crumb {
  label: string;
  page: PageName;
  params: Readonly<Record<string, string>>;
}

const LISTS: Partial<Record<string, string>> = {
  environments: 'Environments',
  flows: 'Flows',
  artifacts: 'Artifacts',
  attestations: 'Attestations',
  components: 'Components',
  watches: 'Watches',
  builds: 'Builds',
  repos: 'Repositories',
  policies: 'Policies',
  controls: 'Controls',
  expectations: 'Expectations',
  evaluations: 'Evaluations',
  frequency: 'Frequency',
  signers: 'Signers',
  'trust-roots': 'Trust roots',
  recalls: 'Recalls',
  types: 'Types',
  actions: 'Actions',
  deliveries: 'Deliveries',
  search: 'Search',
  audit: 'Audit log',
  exports: 'Exports',
  people: 'People',
  drafts: 'Drafts',
  connect: 'Connect your CI',
  settings: 'Settings',
  compare: 'Compare',
};

/** Which list a page belongs to, and which of its values names it. */
const PLACES: Partial<Record<PageName, readonly (readonly [page: PageName, value: string])[]>> = {
  environment: [
    ['environments', ''],
    ['environment', 'env'],
  ],
  snapshot: [
    ['environments', ''],
    ['environment', 'env'],
    ['snapshot', 'expression'],
  ],
  'environment-history': [
    ['environments', ''],
    ['environment', 'env'],
    ['environment-history', '=History'],
  ],
  'environment-policies': [
    ['environments', ''],
    ['environment', 'env'],
    ['environment-policies', '=Policies'],
  ],
  'environment-allowed': [
    ['environments', ''],
    ['environment', 'env'],
    ['environment-allowed', '=Allow-list'],
  ],
  'environment-settings': [
    ['environments', ''],
    ['environment', 'env'],
    ['environment-settings', '=Settings'],
  ],
  flow: [
    ['flows', ''],
    ['flow', 'flow'],
  ],
  trail: [
    ['flows', ''],
    ['flow', 'flow'],
    ['trail', 'trail'],
  ],
  artifact: [
    ['flows', ''],
    ['flow', 'flow'],
    ['artifact', 'fingerprint'],
  ],
  repo: [
    ['repos', ''],
    ['repo', 'repo'],
  ],
  policy: [
    ['policies', ''],
    ['policy', 'policy'],
  ],
  draft: [
    ['drafts', ''],
    ['draft', 'draft'],
  ],
  control: [
    ['controls', ''],
    ['control', 'control'],
  ],
  'control-decisions': [
    ['controls', ''],
    ['control', 'control'],
    ['control-decisions', '=Decisions'],
  ],
  'control-coverage': [
    ['controls', ''],
    ['control', 'control'],
    ['control-coverage', '=Coverage'],
  ],
  'control-versions': [
    ['controls', ''],
    ['control', 'control'],
    ['control-versions', '=Versions'],
  ],
  expectation: [
    ['expectations', ''],
    ['expectation', 'expectation'],
  ],
  gaps: [
    ['expectations', ''],
    ['gaps', '=Gaps'],
  ],
  gap: [
    ['expectations', ''],
    ['gaps', '=Gaps'],
    ['gap', 'gap'],
  ],
  watch: [
    ['watches', ''],
    ['watch', 'watch'],
  ],
  evaluation: [
    ['evaluations', ''],
    ['evaluation', 'evaluation'],
  ],
  signer: [
    ['signers', ''],
    ['signer', 'signer'],
  ],
  'trust-root': [
    ['trust-roots', ''],
    ['trust-root', 'root'],
  ],
  recall: [
    ['recalls', ''],
    ['recall', 'recall'],
  ],
  type: [
    ['types', ''],
    ['type', 'type'],
  ],
  action: [
    ['actions', ''],
    ['action', 'action'],
  ],
  'service-account': [
    ['people', ''],
    ['service-account', 'account'],
  ],
};

/** The way to a page, without the organization, which the rail shows. */
export function crumbsOf(page: PageName, params: Readonly<Record<string, string>>): Crumb[] {
  if (page === 'home') return [{ label: 'Home', page, params }];
  if (page === 'account') return [{ label: 'Account', page, params }];
  if (page === 'glossary') return [{ label: 'Glossary', page, params }];
  if (page === 'organizations') return [{ label: 'Organizations', page, params }];
  const places = PLACES[page] ?? [[page, ''] as const];
  return places.map(([place, value]) => ({ label: labelOf(place, value, params), page: place, params }));
}

function labelOf(page: PageName, value: string, params: Readonly<Record<string, string>>): string {
  if (value === '') return LISTS[page] ?? page;
  if (value.startsWith('=')) return value.slice(1);
  const name = params[value] ?? '';
  if (page === 'snapshot') return /^\d+$/.test(name) ? `#${name}` : name;
  return page === 'artifact' || page === 'evaluation' || page === 'gap' ? name.slice(0, 8) : shortened(name);
}

const LONGEST = 32;

/** The beginning and the end of a long name. The heading of its page has the whole of it. */
export function shortened(name: string): string {
  const signs = [...name];
  return signs.length <= LONGEST ? name : `${signs.slice(0, 20).join('')}…${signs.slice(-8).join('')}`;
}
