import * as z from 'zod';
import { acrossFields, isDictionary, WITH_INVALID_ITEMS } from '#shared/base/validation.ts';
import {
  AttestationName,
  ControlIdentifier,
  CustomTypeName,
  EnvironmentName,
  FlowName,
} from '#shared/evidence/rules/shared-fields.ts';
import { SLOT_TYPES } from '#shared/evidence/rules/template.ts';
import { TagName, TagValue } from '#shared/series/tags.ts';
import { KINDS, MOST_NAMED, MOST_SCOPE_TAGS, SCOPE_OF, SELECTORS } from './rules/expectation.ts';

/** What requests say by kind: the scope, and which evidence counts (rules/expectations.md#fields). */

export const ABOUT = {
  kind: '`reports`: each environment of the scope reports within `every`. `evidence`: each flow, or one of them, gets a compliant attestation within `every`. `activity`: each flow begins a trail within `every`. `completion`: each trail is compliant within `every` of its beginning. `decision`: each artifact that starts has a compliant decision within `every`',
  scope: 'What the expectation is about: environments for `reports` and `decision`, flows for the other kinds',
  environments: 'Names of environments',
  flows: 'Names of flows',
  tags: 'Tags by name. The scope has each environment, or each flow, with all of these tags',
  evidence: 'Which attestations count: those of a name, of a type, or decisions about a control',
  per: '`flow`: each flow of the scope needs the attestation. `scope`: one flow of the scope does',
  control: 'Identifier of the control that the decisions are about',
  every:
    'ISO 8601 duration: how long an environment or a flow may be silent, or how long completion or decision may take',
  grace: 'ISO 8601 duration: how long after `every` something is late before it is missed',
  due_soon: 'ISO 8601 duration: how long before something is missed its notifications are told that it is due soon',
  starts_at: 'Seconds since the epoch. Silence before it does not count',
  owner: 'A person or a team that looks after it',
  severity: 'How much it matters if a report is missed',
};

export const ScopeRequest = z.strictObject({
  environments: z.array(EnvironmentName).min(1).max(MOST_NAMED).optional().describe(ABOUT.environments),
  flows: z.array(FlowName).min(1).max(MOST_NAMED).optional().describe(ABOUT.flows),
  tags: z
    .record(TagName, TagValue)
    .refine((tags) => Object.keys(tags).length > 0 && Object.keys(tags).length <= MOST_SCOPE_TAGS, {
      error: `A scope should have from 1 to ${MOST_SCOPE_TAGS} tags`,
      ...WITH_INVALID_ITEMS.map,
    })
    .optional()
    .describe(ABOUT.tags),
});

/** The types of attestations that an expectation can name: those of slots, without the one for any type. */
const TYPES: readonly string[] = SLOT_TYPES.filter((type) => type !== '*');
const CUSTOM = 'custom:';

const isType = (type: string): boolean =>
  TYPES.includes(type) || (type.startsWith(CUSTOM) && CustomTypeName.safeParse(type.slice(CUSTOM.length)).success);

export const EvidenceRequest = z
  .strictObject({
    name: AttestationName.optional().describe('Name of the attestations'),
    type: z
      .string()
      .refine(isType, { error: `Should be one of ${TYPES.join(', ')}, custom:<name>` })
      .optional()
      .meta({ description: 'Type of the attestations; `custom:<name>` is a custom type' }),
    control: ControlIdentifier.optional().describe('Identifier of a control: decisions about it count'),
  })
  .check(
    acrossFields((fields, refuse) => {
      const [first, ...others] = SELECTORS.filter((one) => fields[one] !== undefined);
      if (first === undefined) refuse('name', 'Give a name, a type or a control');
      for (const one of others) refuse(one, 'Give only one of name, type and control');
    }),
  );

type Refuse = Parameters<Parameters<typeof acrossFields>[0]>[1];

/**
 * Checks what depends on the kind: whether the scope is one of environments or of flows, and which fields only one kind has
 * (rules/expectations.md#errors).
 */
export const fitsKind = acrossFields(({ kind, scope, evidence, per, control, due_soon: soon }, refuse) => {
  const known = KINDS.find((one) => one === kind);
  if (known === undefined) return;
  if (isDictionary(scope)) checkScope(known, scope, refuse);
  const only = (field: string, value: unknown, of: (typeof KINDS)[number]) => {
    if (isGiven(value) && known !== of) refuse(field, `Only expectations of kind '${of}' have this field`);
  };
  only('evidence', evidence, 'evidence');
  only('per', per, 'evidence');
  only('control', control, 'decision');
  if (isGiven(soon) && (known === 'completion' || known === 'decision')) {
    refuse('due_soon', `Expectations of kind '${known}' do not have this field`);
  }
  if (known === 'evidence' && !isGiven(evidence))
    refuse('evidence', 'Give the name, the type or the control of the attestations');
  if (known === 'decision' && !isGiven(control)) refuse('control', 'Give the control that the decisions are about');
});

function checkScope(kind: (typeof KINDS)[number], scope: Record<string, unknown>, refuse: Refuse): void {
  const wanted = SCOPE_OF[kind];
  const other = wanted === 'flows' ? 'environments' : 'flows';
  if (scope[other] !== undefined) refuse(['scope', other], `Expectations of kind '${kind}' are about ${wanted}`);
  const hasNames = scope[wanted] !== undefined;
  const hasTags = scope['tags'] !== undefined;
  if (!hasNames && !hasTags) refuse(['scope', wanted], `Give names of ${wanted}, or tags`);
  if (hasNames && hasTags) refuse(['scope', 'tags'], `Give names of ${wanted} or tags, not both`);
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;
