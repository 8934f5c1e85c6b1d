import * as z from 'zod';
import { toSeconds } from '#shared/base/time.ts';
import { pageUrl } from '#shared/console/pages.ts';
import type { Control } from '#shared/controls/list-controls.ts';
import type { ControlVersion } from '#shared/controls/read-versions.ts';
import { CONTROL_STATUSES } from '#shared/controls/rules/control-statuses.ts';
import { shownRequirements } from '#shared/controls/rules/requirements.ts';
import { GRADES } from '#shared/evidence/rules/verification.ts';
import type { Answer, Request } from '#shared/http/request.ts';

const Texts = z.record(z.string(), z.string());

const RequirementsOut = z
  .object({
    flows: z
      .array(z.string())
      .optional()
      .describe('Only decisions of these flows count; absent if the flow does not matter'),
    signed_by: z
      .array(z.string())
      .optional()
      .describe('Names of signers of which one has to have signed; absent if it does not matter who signed'),
    grade: z.enum(GRADES).optional().describe('The least grade that counts; absent if every grade does'),
  })
  .meta({ id: 'ControlRequirements' });
const requires = RequirementsOut.optional().describe(
  'What decisions need in order to count; absent if every decision counts',
);

/** A control in answers (rules/controls.md#control-record). */
export const ControlOut = z
  .object({
    identifier: z.string().describe('Identifier of the control; it never changes'),
    name: z.string().describe('Name of the control'),
    version: z.int().describe('Number of the version, from 1 on'),
    created_at: z.number().describe('When the record was made, in seconds since the epoch'),
    created_by: z.string().describe('Name of the user or service account that made the record'),
    description: z.string().nullable().describe('A text for people'),
    archived: z.boolean().describe('Whether the record is archived'),
    tags: Texts.describe('Tags by name'),
    links: Texts.describe('Links by label'),
    // Absent in answers that were stored under an Idempotency-Key before the field existed.
    html_url: z.string().optional().describe('Address of a page for people'),
    requires,
  })
  .meta({ id: 'Control' });
export type ControlOut = z.output<typeof ControlOut>;

/** The answer for one control also names its policies (rules/controls.md#referencing-policies). */
export const ControlDetailOut = ControlOut.extend({
  policies_referencing: z
    .array(z.string())
    .meta({ description: 'Names of the policies whose newest version names the control, sorted' }),
}).meta({ id: 'ControlDetail' });

const controlUrl = (at: Pick<Request, 'host' | 'org'>, control: string) =>
  pageUrl(at, '/{org}/controls/{control}', { control });

export const controlOut = (
  { head, content, tags }: Pick<Control, 'head' | 'content' | 'tags'>,
  at: Pick<Request, 'host' | 'org'>,
): ControlOut => ({
  identifier: head.identifier,
  name: content.name,
  version: head.version,
  created_at: toSeconds(head.created),
  created_by: head.by,
  description: content.description,
  archived: head.archived,
  tags,
  links: content.links,
  html_url: controlUrl(at, head.identifier),
  ...shownRequirements(head),
});

/** Returns how a change of a control is answered. */
export const changedControl =
  (at: Pick<Request, 'host' | 'org'>) =>
  (control: Control): Answer<ControlOut> => ({ status: 200, body: controlOut(control, at) });

/** The placeholder for a control that cannot be read (rules/controls.md#list-of-controls). */
export const unreadableControl = (identifier: string, name: string, at: Pick<Request, 'host' | 'org'>): ControlOut => ({
  identifier,
  name,
  version: 0,
  created_at: 0,
  created_by: '',
  description: null,
  archived: false,
  tags: {},
  links: {},
  html_url: controlUrl(at, identifier),
});

/** A version of a control in answers (rules/controls.md#version-record). */
export const ControlVersionOut = z
  .object({
    identifier: z.string().describe('Identifier of the control; it never changes'),
    version: z.int().describe('Number of the version, from 1 on'),
    name: z.string().describe('Name of the control in this version'),
    created_by: z.string().describe('Name of the user or service account that made the record'),
    description: z.string().describe('A text for people'),
    links: Texts.describe('Links by label'),
    created_at: z.number().describe('When the record was made, in seconds since the epoch'),
    archived: z.boolean().describe('Whether the record is archived'),
    status: z.enum(CONTROL_STATUSES).describe('The change that made this version'),
    requires,
  })
  .meta({ id: 'ControlVersion' });

/** A version in the list of versions, which shows placeholders for unreadable ones. */
export const ListedVersionOut = ControlVersionOut.extend({
  unreadable: z.literal(true).optional().meta({
    description: 'Set if the version could not be read. Identifier and number are then correct.',
  }),
}).meta({ id: 'ListedControlVersion' });

/** The placeholder for a version that cannot be read (rules/controls.md#list-of-versions). */
export const unreadableVersion = (identifier: string, version: number): z.output<typeof ListedVersionOut> => ({
  identifier,
  version,
  name: '',
  created_by: '',
  description: '',
  links: {},
  created_at: 0,
  archived: false,
  status: version === 1 ? 'created' : 'updated',
  unreadable: true,
});

export const controlVersionOut = (
  identifier: string,
  { version, status, archived, at, by, content, requires: asked }: ControlVersion,
): z.output<typeof ControlVersionOut> => ({
  identifier,
  version,
  name: content.name,
  created_by: by,
  description: content.description ?? '',
  links: content.links,
  created_at: toSeconds(at),
  archived,
  status,
  ...shownRequirements({ requires: asked }),
});
