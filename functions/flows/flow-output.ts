import * as z from 'zod';
import { toSeconds } from '#shared/base/time.ts';
import { ErasureOut, erasedOut } from '#shared/bodies/erasure.ts';
import { pageUrl } from '#shared/console/pages.ts';
import type { Flow } from '#shared/evidence/flows/get-flow.ts';
import type { FlowPut } from '#shared/evidence/flows/put-flow.ts';
import { EMPTY_TEMPLATE_TEXT } from '#shared/evidence/rules/template.ts';
import type { Answer, Request } from '#shared/http/request.ts';
import { ok } from '#shared/http/written.ts';

/** A flow as clients read it (rules/flows.md#fields-of-a-flow). */
export const FlowOut = z
  .object({
    id: z.string().describe('Id of the flow; it never changes'),
    name: z.string().describe('Present name of the flow'),
    description: z.string().describe('A text for people'),
    visibility: z.string().describe('Stored and shown, without effect on who may read the flow'),
    template: z.union([z.string(), z.array(z.string())]).meta({
      description:
        'The YAML text as uploaded; `version: 1`, the empty template, if there is none. A list of names if the deprecated form set it.',
    }),
    tags: z.record(z.string(), z.string()).describe('Tags by name'),
    created_at: z.number().describe('When the record was made, in seconds since the epoch'),
    created_by: z.string().describe('Name of the user or service account that made the record'),
    archived: z.boolean().describe('Whether the record is archived'),
    latest_activity_at: z.number().nullable().describe('When evidence arrived last, in seconds since the epoch'),
    latest_state: z.string().nullable().describe('Verdict of the latest trail'),
    last_deployment_at: z.number().nullable().meta({
      description: 'When an artifact of the flow last started to run in an environment; null if none ever did.',
    }),
    html_url: z.string().describe('Address of a page for people'),
    erased: ErasureOut,
    unreadable: z.literal(true).optional().meta({
      description:
        'Set in lists if the record could not be read. Id and name are then correct; the other fields are empty.',
    }),
  })
  .meta({ id: 'Flow' });
export type FlowOut = z.input<typeof FlowOut>;

export const flowOut = (
  { head, facts, tags, activity, deployed, erased }: Flow,
  at: Pick<Request, 'host' | 'org'>,
): FlowOut => ({
  id: head.id,
  name: head.name,
  description: facts.description,
  visibility: facts.visibility,
  template: facts.template === '' ? EMPTY_TEMPLATE_TEXT : facts.template,
  tags,
  created_at: toSeconds(head.created),
  created_by: head.by,
  archived: head.archived !== null,
  latest_activity_at: activity && toSeconds(activity.at),
  latest_state: activity?.state ?? null,
  last_deployment_at: deployed && toSeconds(deployed),
  html_url: pageUrl(at, '/{org}/flows/{flow}', { flow: head.name }),
  ...erasedOut(erased),
});

/** The placeholder that a list shows for a flow whose record cannot be read (rules/lists.md#unreadable-records). */
export const unreadableFlow = (id: string, name: string, at: Pick<Request, 'host' | 'org'>): FlowOut => ({
  id,
  name,
  description: '',
  visibility: 'private',
  template: '',
  tags: {},
  created_at: 0,
  created_by: '',
  archived: false,
  latest_activity_at: null,
  latest_state: null,
  last_deployment_at: null,
  html_url: pageUrl(at, '/{org}/flows/{flow}', { flow: name }),
  unreadable: true,
});

/** Returns how a change of a flow is answered: 201 if the flow is new. */
export const flowPut =
  ({ name }: { name: string }) =>
  ({ isNew }: FlowPut): Answer<'OK'> =>
    ok(isNew ? 201 : 200, { flow: name });
