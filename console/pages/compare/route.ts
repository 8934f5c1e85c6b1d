import { environments, snapshotDiff } from '../../client/environments.ts';
import { read } from '../../client/query-client.ts';
import { text } from '../../model/search-params.ts';
import { route } from '../route.ts';

export const readDiff = (org: string, a: string, b: string) =>
  read(snapshotDiff, { org }, { snappish1: a, snappish2: b });

/** Names for the form. */
export const readNames = (org: string) => ({ ...read(environments, { org }), staleTime: 60_000 });

export const compareRoute = route({
  name: 'compare',
  search: { a: text, b: text },
  reads: ({ org }, { a, b }) =>
    a === undefined || b === undefined ? [readNames(org)] : [readDiff(org, a, b), readNames(org)],
});
