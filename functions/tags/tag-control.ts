import * as z from 'zod';
import { unknownControlTagged } from '#shared/controls/rules/sentences.ts';
import { type Endpoint, endpoint } from '#shared/http/endpoint.ts';
import { TagChange } from '#shared/series/tags.ts';
import { changeTags } from './change-tags.ts';

/** PATCH /tags/{org}/control/{resource_id}, in both spellings: what only admins may do (semantics §12.2, §12.6). */
const tagControlAs = (operation: string, spelling: string): Endpoint =>
  endpoint({
    operation,
    method: 'PATCH',
    path: `/tags/{org}/${spelling}/{resource_id}`,
    summary: 'Set and remove tags of a control',
    description: 'Beta. The control goes by its identifier. Tags make no version of it.',
    access: 'admin',
    feature: 'controls',
    params: z.object({ org: z.string(), resource_id: z.string() }),
    query: z.object({}),
    body: { kind: 'json', schema: TagChange, optional: true },
    success: { 200: z.literal('OK') },
    errors: [unknownControlTagged],
    uses: { writes: ['CONTROL', 'AUDIT'] },
    handler: (request, services) => changeTags('control', request.params.resource_id, request, services),
  });

export const tagControl = tagControlAs('tagControl', 'control');
export const tagControls = tagControlAs('tagControls', 'controls');
