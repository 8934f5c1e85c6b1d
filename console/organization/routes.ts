import type { listEnvironments } from '#functions/environments/list-environments.ts';
import { user } from '../account/user.ts';
import type { AnswerOf } from '../client/operations.ts';
import { read } from '../client/query-client.ts';
import { pageOfEnvironments } from '../environment/model/environment-list.ts';
import { environments } from '../environment/operations.ts';
import { route } from '../routes/route.ts';
import { day, daysPeriod, firstOfLastDays, oneOf, type SearchOf, text } from '../routes/search-params.ts';
import { SUBJECTS } from './model/audit.ts';
import { allActions, auditEntries, newestTrails, organizationFrequency } from './operations.ts';

/** The routes of the theme, and what their pages read. Loaded at once, so it holds no part of a page. */

export const organizationsRoute = route({ name: 'organizations', search: {}, reads: () => [read(user, {})] });

/** Environments with their states cost a Query each, so a page has at most 50. Those that need attention come first. */
export const readHomeEnvironments = (org: string) =>
  read(environments, { org }, { include: ['states', 'silence'], sort: 'state', per_page: 50 });
/** With slots, so that each trail that waits for people says what it lacks. */
export const readNewestTrails = (org: string) => read(newestTrails, { org }, { include: ['slots'], per_page: 20 });
/** The newest trails with their artifacts, few of them: for organizations on the way to their first compliant snapshot. */
export const readFirstTrails = (org: string) => read(newestTrails, { org }, { include: ['slots'], per_page: 5 });
export const readActions = (org: string) => read(allActions, { org });

export const homeRoute = route({
  name: 'home',
  search: {},
  reads: ({ org }) => [readHomeEnvironments(org), readNewestTrails(org), readActions(org)],
  readsAfter: (first: AnswerOf<typeof listEnvironments>, { org }) =>
    pageOfEnvironments(first).environments.some(({ state }) => state === true) ? [] : [readFirstTrails(org)],
});

/** Days of the charts unless the address says otherwise. */
export const USUAL_DAYS = 30;

export const readFrequency = (org: string, days: number) => ({
  ...read(organizationFrequency, { org }, { start_ts: firstOfLastDays(days) }),
  staleTime: 60_000,
});

const days = oneOf('90', '365');

export const frequencyRoute = route({
  name: 'frequency',
  search: { days },
  reads: ({ org }, given) => [readFrequency(org, Number(given.days ?? USUAL_DAYS))],
});

const kind = oneOf(...SUBJECTS);
const auditSearch = { kind, actor: text, from: day, to: day, cursor: text };
type AuditSearch = SearchOf<typeof auditSearch>;

export const readEntries = (org: string, { kind: subject, actor, from, to, cursor }: AuditSearch) =>
  read(
    auditEntries,
    { org },
    {
      per_page: 50,
      ...(subject !== undefined && { kind: subject }),
      ...(actor !== undefined && { actor }),
      ...daysPeriod({ from, to }),
      ...(cursor !== undefined && { cursor }),
    },
  );

export const auditRoute = route({
  name: 'audit',
  search: auditSearch,
  reads: ({ org }, given) => [readEntries(org, given)],
});
