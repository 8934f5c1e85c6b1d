import type { putWatch as put, deleteWatch as remove } from '#functions/components/watches/change-watch.ts';
import type { getWatchCase } from '#functions/components/watches/get-case.ts';
import type { listWatches } from '#functions/components/watches/read-watches.ts';
import { type AnswerOf, operation } from '../../client/operations.ts';

/** Operations on watches of components. */
export const watches = operation<typeof listWatches>()('GET', '/watches/{org}', 'reader');
export const watchCase = operation<typeof getWatchCase>()('GET', '/watches/{org}/{name}/case', 'reader');
export const putWatch = operation<typeof put>()('PUT', '/watches/{org}/{name}', 'member');
export const deleteWatch = operation<typeof remove>()('DELETE', '/watches/{org}/{name}', 'member');

export type Watch = AnswerOf<typeof listWatches>['watches'][number];
export type WatchCase = AnswerOf<typeof getWatchCase>;
export type CaseEvent = WatchCase['timeline'][number];
