import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import * as z from 'zod';
import { parseWitnessedLogs, parseWitnessPolicy } from '#shared/log/rules/witness-settings.ts';
import { RULE_KINDS } from '#shared/organizations/rules/sign-in.ts';
import { TlogError } from '#shared/tlog/errors.ts';

/** A setting is wrong. The message is one sentence for the person who deploys. */
export class StageError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'StageError';
  }
}

/** The retention times that CloudWatch Logs accepts, in days. `INFINITE` is left out on purpose. */
const RETENTION_DAYS = Object.values(RetentionDays).filter(
  (days): days is number => typeof days === 'number' && days !== RetentionDays.INFINITE,
);

const positive = (unit: string) => {
  const error = `must be a whole number of ${unit}, at least 1`;
  return z.coerce.number({ error }).int({ error }).min(1, { error });
};

const positiveOrNone = (unit: string) => {
  const error = `must be a whole number of ${unit}, or 0`;
  return z.coerce.number({ error }).int({ error }).min(0, { error });
};

const text = (pattern: RegExp, error: string) => z.string({ error }).regex(pattern, { error });

/** A text that a parser of the log accepts. The error names the line where there is one. */
const accepted = (parse: (text: string) => unknown) =>
  z.string({ error: 'must be text' }).superRefine((value, context) => {
    try {
      parse(value);
    } catch (error) {
      if (!(error instanceof TlogError)) throw error;
      context.addIssue(`is refused: ${error.message.replace(/\.$/, '')}`);
    }
  });

/** The command line of the CDK cuts a setting at its first line break, so semicolons separate lines as well. */
const oneLineForm = z.string({ error: 'must be text' }).transform((value) => value.replaceAll(/[;\n]\s*/g, '\n'));

const RETENTION_RULE = `must be one of ${RETENTION_DAYS.join(', ')}`;

const EMAIL = /^[^\s@<>,"]+@(?:[A-Za-z0-9-]+\.)+[A-Za-z]{2,63}$/;

/** An issuer is compared with that of tokens byte for byte, so it is kept as it is written. */
const isIssuer = (text: string): boolean => {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, search, hash } = new URL(text);
  return protocol === 'https:' && username + password + search + hash === '' && !/[?#\s]/.test(text);
};

/** The command line gives every setting as text. A context file may also give numbers and booleans. */
const Settings = z.strictObject({
  region: text(/^[a-z]{2}-[a-z]+-\d$/, 'must be the name of an AWS region'),
  account: text(/^\d{12}$/, 'must be an account number of 12 digits').optional(),
  domainName: text(
    /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/,
    'must be a host name in lower case',
  ).optional(),
  certificateArn: text(
    /^arn:aws:acm:[a-z0-9-]+:\d{12}:certificate\/[0-9a-f-]+$/,
    'must be the ARN of a certificate',
  ).optional(),
  logRetentionDays: z.coerce
    .number({ error: RETENTION_RULE })
    .refine((days) => RETENTION_DAYS.includes(days), { error: RETENTION_RULE }),
  objectLock: z.union([z.boolean(), z.stringbool({ truthy: ['true'], falsy: ['false'] })], {
    error: 'must be true or false',
  }),
  uploadOrigins: text(
    /^(?:\*|https:\/\/[^\s/,]+(?:,https:\/\/[^\s/,]+)*)$/,
    'must be * or a comma-separated list of https origins',
  ).transform((origins) => origins.split(',')),
  restoredTableStream: text(
    /^arn:aws:dynamodb:[a-z0-9-]+:\d{12}:table\/[A-Za-z0-9_.-]+\/stream\/[0-9T:.-]+$/,
    "must be the ARN of a table's stream",
  ).optional(),
  mailSender: text(EMAIL, 'must be an e-mail address').optional(),
  alarmAddress: text(EMAIL, 'must be an e-mail address').optional(),
  reservedConcurrency: positive('executions').optional(),
  accountConcurrency: positiveOrNone('executions'),
  waitingConcurrency: positive('executions'),
  witnessPolicy: oneLineForm.pipe(accepted(parseWitnessPolicy)).optional(),
  witnessSeconds: positive('seconds'),
  witnessedLogs: accepted(parseWitnessedLogs).optional(),
  signInIssuer: z
    .string({ error: 'must be text' })
    .refine(isIssuer, { error: 'must be the https address of an issuer, without user, query and fragment' })
    .optional(),
  signInClientId: text(/^[\x21-\x7e](?:[\x20-\x7e]{0,254}[\x21-\x7e])?$/, 'must be the id of a client').optional(),
  signInSecretName: text(/^\/?[A-Za-z0-9_.-]+(?:\/[A-Za-z0-9_.-]+)*$/, 'must be the name of a parameter').optional(),
  signInScopes: text(
    /^(?:[!#-[\]-~]+ )*openid(?: [!#-[\]-~]+)*$/,
    'must be scopes separated by spaces, and openid among them',
  ),
  signInGroupsClaim: text(/^[\x21-\x7e]{1,255}$/, 'must be the name of a claim'),
  signInRules: text(/^(?:none|domain|group|domain,group)$/, 'must be none, domain, group or domain,group').transform(
    (kinds) => RULE_KINDS.filter((kind) => kinds.split(',').includes(kind)),
  ),
  requestsPerSecond: positive('requests per second'),
  requestBurst: positive('requests'),
  publicRequestsPerSecond: positive('requests per second'),
  publicRequestBurst: positive('requests'),
});

export type StageName = 'eu' | 'us';

/**
 * The settings of one region.
 * - `account`: account to deploy to; the account of the credentials if absent
 * - `domainName`, `certificateArn`: custom domain, both or neither; the certificate lies in the stage's region
 * - `logRetentionDays`: how long logs are kept, in days
 * - `objectLock`: whether single objects of the evidence bucket can be locked (rules/storage.md#settings-of-the-bucket)
 * - `uploadOrigins`: web origins that may send the upload form
 * - `restoredTableStream`: stream of a restored table in the stage's region; the service uses that table instead of the
 *   table of the stack
 * - `mailSender`: verified address that notifications are mailed from; e-mail targets fail without it
 * - `alarmAddress`: address that gets mail about alarms; alarms are only shown without it
 * - `reservedConcurrency`: how many executions are reserved for each endpoint group; a group never has more
 * - `accountConcurrency`: how many executions the account has in the region; with 0, functions that wait for other hosts have
 *   no reservation (docs/deploying.md#reserved-executions)
 * - `waitingConcurrency`: how many executions are reserved for the exchange of tokens and for the sign-in, each
 * - `witnessPolicy`: which witnesses cosign the logs of the region (rules/log.md#settings-of-witnesses)
 * - `witnessSeconds`: how long no witness is asked again for the same log
 * - `witnessedLogs`: keys of the logs that the witness of the region cosigns
 * - `signInIssuer`, `signInClientId`: identity provider that people sign in with (rules/sign-in.md#provider), both or neither
 * - `signInSecretName`: name of the encrypted parameter with the client's secret; a client without a secret has none
 * - `signInScopes`, `signInGroupsClaim`: what is asked of the provider, and its claim with the groups of a person
 * - `signInRules`: the kinds of rules that organizations may use to let people in
 * - `requestsPerSecond`, `requestBurst`: throttling of the whole API (rules/requests.md#rate-limits)
 * - `publicRequestsPerSecond`, `publicRequestBurst`: throttling of each route of a public door
 */
export interface Stage extends z.output<typeof Settings> {
  name: StageName;
}

const COMMON = {
  logRetentionDays: 90,
  objectLock: false,
  uploadOrigins: '*',
  witnessSeconds: 60,
  signInScopes: 'openid email',
  signInGroupsClaim: 'groups',
  signInRules: 'domain,group',
  requestsPerSecond: 1000,
  requestBurst: 2000,
  publicRequestsPerSecond: 50,
  publicRequestBurst: 100,
  accountConcurrency: 1000,
  waitingConcurrency: 100,
} satisfies Partial<z.input<typeof Settings>>;

/**
 * The regions (rules/storage.md#regions). Evidence never leaves its region, therefore the region of `eu` must begin with
 * `eu-` and that of `us` with `us-`.
 */
const STAGES = {
  eu: { ...COMMON, region: 'eu-central-1' },
  us: { ...COMMON, region: 'us-east-1' },
} as const satisfies Record<StageName, z.input<typeof Settings>>;

// `Object.keys` returns plain texts.
const STAGE_NAMES = Object.keys(STAGES) as StageName[];

/** Whether a context key belongs to the CDK itself: a feature flag or a switch of the command line. */
const isToolkitKey = (key: string) => key.startsWith('@') || /^(?:aws|cdk|aws-cdk)[:-]/.test(key);

/**
 * Returns the settings of every stage. The context overrides them: `eu:domainName=…` sets `domainName` of the stage `eu`.
 *
 * @param context the whole context of the app
 * @throws StageError for an unknown key or a wrong value
 */
export function readStages(context: Readonly<Record<string, unknown>>): Stage[] {
  const overrides = new Map<string, Record<string, unknown>>(STAGE_NAMES.map((name) => [name, {}]));
  for (const [key, value] of Object.entries(context)) {
    if (isToolkitKey(key)) continue;
    const [name = '', setting] = key.split(':', 2);
    const target = overrides.get(name);
    if (!target || setting === undefined || !Object.hasOwn(Settings.shape, setting)) throw unknownKey(key);
    target[setting] = value;
  }
  return STAGE_NAMES.map((name) => readStage(name, { ...STAGES[name], ...overrides.get(name) }));
}

const unknownKey = (key: string) =>
  new StageError(
    `Unknown context key '${key}': a key has the form <stage>:<setting>. Stages: ${STAGE_NAMES.join(', ')}. ` +
      `Settings: ${Object.keys(Settings.shape).join(', ')}.`,
  );

function readStage(name: StageName, values: Record<string, unknown>): Stage {
  const wrong = (setting: string, rule: string, cause?: unknown) =>
    new StageError(`Context '${name}:${setting}' ${rule}; it is ${JSON.stringify(values[setting])}.`, cause);

  const parsed = Settings.safeParse(values);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw wrong(String(issue?.path[0]), issue?.message ?? 'is not valid', parsed.error);
  }
  const stage = parsed.data;
  if (!stage.region.startsWith(`${name}-`)) throw wrong('region', `must be a region in ${name}`);
  if (stage.domainName !== undefined && stage.certificateArn === undefined) {
    throw wrong('certificateArn', `must be set beside '${name}:domainName'`);
  }
  if (stage.certificateArn !== undefined) {
    if (stage.domainName === undefined) throw wrong('domainName', `must be set beside '${name}:certificateArn'`);
    if (stage.certificateArn.split(':')[3] !== stage.region) {
      throw wrong('certificateArn', `must be a certificate in ${stage.region}`);
    }
  }
  if ((stage.signInIssuer === undefined) !== (stage.signInClientId === undefined)) {
    const [missing, present] =
      stage.signInIssuer === undefined ? ['signInIssuer', 'signInClientId'] : ['signInClientId', 'signInIssuer'];
    throw wrong(missing, `must be set beside '${name}:${present}'`);
  }
  if (stage.signInSecretName !== undefined && stage.signInIssuer === undefined) {
    throw wrong('signInIssuer', `must be set beside '${name}:signInSecretName'`);
  }
  if (stage.restoredTableStream !== undefined && stage.restoredTableStream.split(':')[3] !== stage.region) {
    throw wrong('restoredTableStream', `must be a stream in ${stage.region}`);
  }
  return { name, ...stage };
}
