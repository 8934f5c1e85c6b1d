import { shortName } from '#shared/base/reasons/artifact-name.ts';
import { shortenText } from '#shared/base/well-formed.ts';
import type { PageName } from '#shared/console/pages.ts';
import { count, listed } from '../../model/words.ts';
import type { Found, FoundArtifact } from '../operations.ts';

/** A record that was found by its name. */
interface FoundName {
  key: string;
  label: string;
  hint: string;
  page: PageName;
  params: Readonly<Record<string, string>>;
}

interface FoundGroup {
  title: string;
  names: FoundName[];
  /** Whether more records match than the answer holds. */
  more: boolean;
}

/** Everything that was found by a name, in groups. Empty groups are left out. */
export function groupsOf(org: string, found: Found): FoundGroup[] {
  const named = (page: PageName, value: string) => (name: string) => ({
    key: `${page} ${name}`,
    label: name,
    hint: '',
    page,
    params: { org, [value]: name },
  });
  const groups: FoundGroup[] = [
    {
      title: 'Environments',
      more: found.environments.more,
      names: found.environments.items.map(({ name, type }) => ({ ...named('environment', 'env')(name), hint: type })),
    },
    {
      title: 'Flows',
      more: found.flows.more,
      names: found.flows.items.map(({ name }) => named('flow', 'flow')(name)),
    },
    {
      title: 'Trails',
      more: found.trails.more || found.commit_reports.more,
      names: trailsOf(org, found),
    },
    {
      title: 'Artifacts',
      more: found.artifacts.more,
      names: found.artifacts.items.flatMap(({ name, fingerprint, flow_name: flow }) =>
        flow === null
          ? []
          : [
              {
                key: `artifact ${flow} ${fingerprint}`,
                label: shortName(name),
                hint: `${fingerprint.slice(0, 8)} of ${flow}`,
                page: 'artifact' as const,
                params: { org, flow, fingerprint },
              },
            ],
      ),
    },
    {
      title: 'Policies',
      more: found.policies.more,
      names: found.policies.items.map(({ name }) => named('policy', 'policy')(name)),
    },
    {
      title: 'Controls',
      more: found.controls.more,
      names: found.controls.items.map(({ name, identifier, archived }) => ({
        ...named('control', 'control')(identifier),
        label: name,
        hint: archived ? `${identifier}, archived` : identifier,
      })),
    },
    {
      title: 'Repositories',
      more: found.repos.more,
      names: found.repos.items.map(({ name }) => named('repo', 'repo')(name)),
    },
  ];
  return groups.filter(({ names }) => names.length > 0);
}

/** Trails by name, and those in which an artifact with a found commit was reported. Each stands once. */
function trailsOf(org: string, { trails, commit_reports: reports }: Found): FoundName[] {
  const named = ({ name, flow_name: flow }: { name: string; flow_name: string }, more = ''): FoundName => ({
    key: `trail ${flow} ${name}`,
    label: name,
    hint: `of ${flow}${more}`,
    page: 'trail',
    params: { org, flow, trail: name },
  });
  const all = [
    ...trails.items.map((trail) => named(trail)),
    ...reports.items.map(({ trail_name: name, flow_name, git_commit: commit }) =>
      named({ name, flow_name }, `, commit ${commit.slice(0, 7)}`),
    ),
  ];
  return all.filter(({ key }, n) => all.findIndex((other) => other.key === key) === n);
}

/** Whether the text was taken for the beginning of a fingerprint or of a commit. */
export const isDigest = (text: string, found: Found): boolean =>
  found.commits.items.length > 0 ||
  found.artifacts.items.some(({ fingerprint }) => fingerprint.startsWith(text.trim().toLowerCase()));

const KINDS = [
  ['environments', 'environment', 'environments'],
  ['flows', 'flow', 'flows'],
  ['trails', 'trail', 'trails'],
  ['artifacts', 'artifact', 'artifacts'],
  ['policies', 'policy', 'policies'],
  ['controls', 'control', 'controls'],
  ['repos', 'repository', 'repositories'],
] as const;

/** How the text was taken, and what was found. */
export function searchSentence(text: string, found: Found): string {
  const shown = shortenText(text, 40);
  switch (found.resolved_to.type) {
    case 'nothing':
      return `Nothing begins with «${shown}».`;
    case 'fingerprint':
      return `«${shown}» is the beginning of a fingerprint.`;
    case 'commit':
      return `${commitText(shown, text, found)}${reportedText(found)}`;
    case 'ambiguous':
      return `«${shown}» fits several things. Choose one, or give more characters.`;
    case 'name':
      return `The names of ${listed(
        KINDS.flatMap((kind) => countedKind(found, kind)),
        KINDS.length,
      )} begin with «${shown}».`;
  }
}

const commitText = (shown: string, text: string, { resolved_to: { full_match: commit } }: Found): string =>
  `«${shown}» is ${text.trim().toLowerCase() === commit ? 'a' : 'the beginning of a'} commit.`;

/** In how many trails the artifacts of a commit were reported. */
function reportedText({ commit_reports: { items, more } }: Found): string {
  const trails = new Set(items.map(({ flow_name: flow, trail_name: trail }) => JSON.stringify([flow, trail])));
  const artifacts = new Set(items.map(({ fingerprint }) => fingerprint));
  if (items.length === 0) return '';
  const least = more ? 'at least ' : '';
  return ` It has ${least}${count(artifacts.size, 'artifact')} in ${least}${count(trails.size, 'trail')}.`;
}

/** `2 policies`, or `more than 10 policies`; nothing for a kind of which nothing was found. */
function countedKind(found: Found, [kind, one, several]: (typeof KINDS)[number]): string[] {
  const { items, more } = found[kind];
  if (items.length === 0) return [];
  return [`${more ? 'more than ' : ''}${items.length} ${items.length === 1 ? one : several}`];
}

/** Found artifacts in the order in which a reader asks for them: those that run now, those that ran, those that did not. */
export function byPresence(artifacts: readonly FoundArtifact[]): { title: string; artifacts: FoundArtifact[] }[] {
  const groups = Map.groupBy(artifacts, presenceOf);
  return PRESENCES.flatMap((title) => {
    const some = groups.get(title);
    return some ? [{ title, artifacts: some }] : [];
  });
}

const PRESENCES = ['Runs now', 'Ran before', 'Reported, never seen running'] as const;

const presenceOf = ({ running_in: now, exited_from: before }: FoundArtifact): (typeof PRESENCES)[number] =>
  now.length > 0 ? 'Runs now' : before.length > 0 ? 'Ran before' : 'Reported, never seen running';
