import type { listActions } from '#functions/actions/list-actions.ts';
import type { listTrails } from '#functions/trails/list-trails.ts';
import { type AnswerOf, operation } from './operations.ts';

/** Operations of the first page of an organization that belong to no group of pages of their own. */
export const newestTrails = operation<typeof listTrails>()('GET', '/trails/{org}', 'reader');
export const allActions = operation<typeof listActions>()('GET', '/actions/{org}', 'reader');

export type NewestTrail = AnswerOf<typeof listTrails>['data'][number];
export type HomeAction = AnswerOf<typeof listActions>[number];
