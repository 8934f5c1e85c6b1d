import * as z from 'zod';
import { isDictionary, withInput, withSecretInput } from '#shared/base/validation.ts';
import { PAYLOAD_VERSION } from '#shared/notifications/rules/payload.ts';
import { SECRET_FORM, SECRET_PATTERN } from '#shared/notifications/rules/signature.ts';
import { LONGEST_URL } from '#shared/outgoing/address-guard.ts';
import { LONGEST_ADDRESS, MAIL_LIST_PATTERN, MAIL_PATTERN, MOST_RECIPIENTS } from '#shared/outgoing/mail-address.ts';

/** Targets of actions in requests (`rules/notifications.md#target-types`). */

/** The most targets of an action. With them, an action stays far below the size limit of an item. */
export const MOST_TARGETS = 20;

export const Context = z
  .object({
    channel_id: z.string().describe('Id of the channel'),
    channel_name: z.string().describe('Name of the channel'),
    team_id: z.string().describe('Id of the team'),
  })
  .partial();

/** The pattern is for the OpenAPI document. The service checks more (`rules/notifications.md#webhook-address`). */
const Webhook = z.string().meta({
  format: 'uri',
  pattern: String.raw`^[hH][tT][tT][pP][sS]://[^ /?#@\\]+([/?#][^ \\]*)?$`,
  maxLength: LONGEST_URL,
});
const Recipients = z.union([
  z.string().meta({ pattern: MAIL_LIST_PATTERN }),
  z
    .array(z.string().meta({ pattern: MAIL_PATTERN, maxLength: LONGEST_ADDRESS }))
    .meta({ minItems: 1, maxItems: MOST_RECIPIENTS }),
]);

/** Fields of answers that a request may send back. They are ignored. */
const ignored = {
  last_success_at: z
    .unknown()
    .optional()
    .describe('Last successful attempt in seconds since the epoch; 0 = none. Ignored in requests'),
  last_failure_at: z
    .unknown()
    .optional()
    .describe('Last failed attempt in seconds since the epoch; 0 = none. Ignored in requests'),
};

const chat = {
  webhook: Webhook.describe('Address that events are posted to'),
  context: Context.nullish().describe('Where in the chat the events go'),
  ...ignored,
};
const webhook = {
  webhook: Webhook.describe('Address that events are posted to'),
  payload_version: z.literal(PAYLOAD_VERSION).nullish().describe('Version of the payload'),
  secret: z
    .string()
    .nullish()
    .meta({
      description: `One per action; kept where it is absent, made where there is none. ${SECRET_FORM}`,
      pattern: SECRET_PATTERN,
    }),
  ...ignored,
};
const mail = {
  emails: Recipients.nullish().meta({ description: 'A list, or one text with commas between the addresses' }),
  email: Recipients.nullish().meta({ description: 'Another name of `emails`' }),
  ...ignored,
};
const EITHER_EMAILS = {
  anyOf: ['emails', 'email'].map((name) => ({
    properties: { [name]: { type: ['string', 'array'] } },
    required: [name],
  })),
};

/** Present only if it is no object, which is refused: {@link readNested} replaces a target that has an object in it. */
const config = z
  .record(z.string(), z.unknown())
  .optional()
  .meta({ override: { description: 'Not beside other fields: a target has either them or `config`', not: {} } });

const Flat = z.discriminatedUnion(
  'type',
  [
    z
      .object({ type: z.literal(['CHAT', 'SLACK']).describe('The type'), ...chat, config })
      .meta({ id: 'ChatTargetRequest' }),
    z
      .object({ type: z.literal('WEBHOOK').describe('The type'), ...webhook, config })
      .meta({ id: 'WebhookTargetRequest' }),
    z
      .object({ type: z.literal('EMAIL').describe('The type'), ...mail, config })
      .meta({ id: 'EmailTargetRequest', ...EITHER_EMAILS }),
  ],
  {
    error: ({ code, input }) => {
      if (code !== 'invalid_union') return undefined;
      return withInput("Input should be 'CHAT', 'WEBHOOK' or 'EMAIL'", isDictionary(input) ? input['type'] : undefined);
    },
  },
);

/** One target of a request, with its fields beside `type` or in `config` (`rules/notifications.md#nested-config`). */
export const TargetIn = z.preprocess(readNested, Flat.meta({ override: withNestedForms }));
export type TargetIn = z.output<typeof TargetIn>;

/** The `targets` of a request. `readTargets` checks their addresses and secrets. */
export const TargetsIn = z.array(TargetIn).min(1).max(MOST_TARGETS);

/** The fields that stand either in `config` or beside `type`. */
const NESTABLE = Object.keys({ ...chat, ...webhook, ...mail }).filter((name) => !(name in ignored));

/** Replaces a target that has its fields in `config` by the flat form. */
function readNested(target: unknown, { addIssue }: z.RefinementCtx): unknown {
  if (!isDictionary(target) || !isDictionary(target['config'])) return target;
  for (const name of NESTABLE) {
    if (target[name] == null) continue;
    addIssue({ code: 'custom', path: [name], message: withSecretInput('Should be in config, like the other fields') });
  }
  return { ...target['config'], type: target['type'], config: undefined };
}

/** Adds to the OpenAPI document the forms that have their fields in `config`. */
function withNestedForms({ jsonSchema }: { jsonSchema: Record<string, unknown> }): void {
  // Zod writes a union as `oneOf`.
  const { oneOf: flat = [] } = jsonSchema as { oneOf?: object[] };
  const outside = Object.fromEntries(NESTABLE.map((name) => [name, { type: 'null', description: 'Is in `config`' }]));
  const nested = (types: string[], fields: z.ZodRawShape, rules: object = {}) => {
    const { $schema: _, ...inside } = z.toJSONSchema(z.object(fields), { io: 'input' });
    return {
      type: 'object',
      description: 'A target with its other fields in `config`',
      properties: {
        type: { type: 'string', enum: types, description: 'The type' },
        config: { description: 'All other fields of the target', ...inside, ...rules },
        ...outside,
      },
      required: ['type', 'config'],
    };
  };
  delete jsonSchema['oneOf'];
  delete jsonSchema['discriminator'];
  delete jsonSchema['type'];
  jsonSchema['anyOf'] = [
    ...flat,
    nested(['CHAT', 'SLACK'], chat),
    nested(['WEBHOOK'], webhook),
    nested(['EMAIL'], mail, EITHER_EMAILS),
  ];
}
