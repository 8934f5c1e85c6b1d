import { shortName } from '#shared/base/reasons/artifact-name.ts';
import type { PageName } from '#shared/console/pages.ts';
import { askedFor, isPackageUrl } from '../../model/component-question.ts';
import type { Found } from '../operations.ts';

/** What the palette can do besides going to a page. */
export type Act =
  | { do: 'theme'; theme: 'system' | 'light' | 'dark' }
  | { do: 'sign-out' }
  | { do: 'copy'; text: string; done: string }
  | { do: 'new-flow' }
  | { do: 'new-trust' };

/** A choice of the palette: a page to go to, or something to do. */
export interface Choice {
  key: string;
  /** What is shown first: a name. */
  label: string;
  /** What kind of thing it is, and where. */
  hint: string;
  group: 'Found' | 'Saved' | 'Recent' | 'Pages' | 'Actions' | 'Search';
  to:
    | { act: Act }
    | {
        page: PageName;
        params: Readonly<Record<string, string>>;
        search?: Readonly<Record<string, string | undefined>>;
      }
    | { href: string };
}

const MOST_KNOWN = 8;

/** Whether a name has the text in it, in upper or lower case. */
const has = (name: string, text: string): boolean => name.toLowerCase().includes(text.toLowerCase());

/** Names that begin with the text come first. */
const rank = (name: string, text: string): number => (name.toLowerCase().startsWith(text.toLowerCase()) ? 0 : 1);

/** Flows and environments whose names have the text in them, without asking the service. */
export function knownChoices(
  org: string,
  text: string,
  flows: readonly string[],
  environments: readonly string[],
): Choice[] {
  if (text === '') return [];
  const flow = (name: string): Choice => ({
    key: `flow ${name}`,
    label: name,
    hint: 'flow',
    group: 'Found',
    to: { page: 'flow', params: { org, flow: name } },
  });
  const environment = (name: string): Choice => ({
    key: `environment ${name}`,
    label: name,
    hint: 'environment',
    group: 'Found',
    to: { page: 'environment', params: { org, env: name } },
  });
  return [...environments.map(environment), ...flows.map(flow)]
    .filter(({ label }) => has(label, text))
    .toSorted((a, b) => rank(a.label, text) - rank(b.label, text))
    .slice(0, MOST_KNOWN);
}

/** People of the organization whose names have the text in them. Everybody who may read the organization may read its members. */
export const peopleChoices = (org: string, text: string, names: readonly string[]): Choice[] =>
  named(text, names).map((name) => ({
    key: `person ${name}`,
    label: name,
    hint: 'person',
    group: 'Found',
    to: { page: 'people', params: { org } },
  }));

/** Service accounts of the organization whose names have the text in them. */
export const accountChoices = (org: string, text: string, names: readonly string[]): Choice[] =>
  named(text, names).map((name) => ({
    key: `account ${name}`,
    label: name,
    hint: 'service account',
    group: 'Found',
    to: { page: 'service-account', params: { org, account: name } },
  }));

/** The names that have the text in them, those that begin with it first. */
const named = (text: string, names: readonly string[]): string[] =>
  text === ''
    ? []
    : names
        .filter((name) => has(name, text))
        .toSorted((a, b) => rank(a, text) - rank(b, text))
        .slice(0, MOST_KNOWN);

/** What the service found by a name or a digest. */
export function foundChoices(org: string, found: Found | undefined): Choice[] {
  if (!found) return [];
  const choice = (
    key: string,
    label: string,
    hint: string,
    page: PageName,
    params: Record<string, string>,
  ): Choice => ({
    key: `${key} ${label} ${hint}`,
    label,
    hint,
    group: 'Found',
    to: { page, params: { org, ...params } },
  });
  return [
    ...found.artifacts.items.map(({ name, fingerprint, flow_name: flow }): Choice => {
      const label = shortName(name) || fingerprint;
      if (flow !== null) {
        return choice('artifact', label, `artifact ${fingerprint.slice(0, 8)} of ${flow}`, 'artifact', {
          flow,
          fingerprint,
        });
      }
      return {
        ...searchChoice(org, fingerprint),
        label,
        hint: `artifact ${fingerprint.slice(0, 8)} without provenance`,
      };
    }),
    ...found.commit_reports.items.map(({ trail_name: trail, flow_name: flow, git_commit: commit }) =>
      choice('trail', trail, `trail of ${flow}, commit ${commit.slice(0, 7)}`, 'trail', { flow, trail }),
    ),
    ...found.commit_reports.items.map(({ name, fingerprint, flow_name: flow, git_commit: commit }) =>
      choice(
        'artifact',
        shortName(name) || fingerprint,
        `artifact of ${flow}, built from commit ${commit.slice(0, 7)}`,
        'artifact',
        {
          flow,
          fingerprint,
        },
      ),
    ),
    ...found.commits.items.map((sha) => ({ ...searchChoice(org, sha), label: sha, hint: 'commit' })),
    ...found.trails.items.map(({ name, flow_name: flow }) =>
      choice('trail', name, `trail of ${flow}`, 'trail', { flow, trail: name }),
    ),
    ...found.environments.items.map(({ name }) =>
      choice('environment', name, 'environment', 'environment', { env: name }),
    ),
    ...found.flows.items.map(({ name }) => choice('flow', name, 'flow', 'flow', { flow: name })),
    ...found.policies.items.map(({ name }) => choice('policy', name, 'policy', 'policy', { policy: name })),
    ...found.controls.items.map(({ name, identifier }) =>
      choice('control', name, `control ${identifier}`, 'control', { control: identifier }),
    ),
    ...found.repos.items.map(({ name }) => choice('repo', name, 'repository', 'repo', { repo: name })),
  ];
}

/** The choice that opens the page of the search. */
export const searchChoice = (org: string, text: string): Choice => ({
  key: `search ${text}`,
  label: `Search for «${text}»`,
  hint: 'digests, commits and names',
  group: 'Search',
  to: { page: 'search', params: { org }, search: { q: text } },
});

/** The shortest name that packages are searched by. */
const SHORTEST_NAME = 2;

/** What a text can say of components: a package URL asks where it runs, another text is the beginning of names. */
export function componentChoices(org: string, text: string): Choice[] {
  if (text.length < SHORTEST_NAME) return [];
  const asked = askedFor({ component: text, versions: '', at: '' });
  return [
    {
      key: `components ${text}`,
      label: isPackageUrl(text) ? `Where does ${text} run?` : `Components that begin with «${text}»`,
      hint: 'in SBOMs',
      group: 'Search',
      to: { page: 'components', params: { org }, search: { ...asked } },
    },
  ];
}

/** Puts choices of several sources together; the first of those that lead to the same place stays. */
export function withoutDoubles(choices: readonly Choice[]): Choice[] {
  const seen = new Map<string, Choice>();
  for (const choice of choices) {
    const place = JSON.stringify(choice.to);
    if (!seen.has(place)) seen.set(place, choice);
  }
  return [...seen.values()];
}
