import * as z from 'zod';
import type { Stores } from '#shared/bodies/stores.ts';
import { unknownControlTagged } from '#shared/controls/rules/sentences.ts';
import { changeTags, TAG_CONTROL } from '#shared/environments/tags/change-tags.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { answerOk } from '#shared/http/written.ts';
import { TagChange } from '#shared/series/tags.ts';

/** PATCH /tags/{org}/control/{resource_id}, in both spellings: only admins tag controls (rules/controls.md#tags-of-a-control). */
const tagControlAs = <S extends 'control' | 'controls'>(operation: string, spelling: S) =>
  endpoint({
    operation,
    method: 'PATCH',
    path: `/tags/{org}/${spelling}/{resource_id}` as const,
    summary: 'Set and remove tags of a control',
    description: 'Beta. `resource_id` is the identifier of the control. Tags add no version.',
    access: 'admin',
    feature: 'controls',
    params: z.object({ org: z.string(), resource_id: z.string() }),
    body: { kind: 'json', schema: TagChange, optional: true },
    success: { 200: z.literal('OK') },
    errors: [unknownControlTagged],
    uses: TAG_CONTROL,
    handler: async (request, stores: Pick<Stores, 'table'>) =>
      answerOk(request, (by) => changeTags(stores, by, 'control', request.params.resource_id, request.body)),
  });

export const tagControl = tagControlAs('tagControl', 'control');
export const tagControls = tagControlAs('tagControls', 'controls');
