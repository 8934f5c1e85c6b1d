import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import * as z from 'zod';
import { readLimit } from '#shared/callers/request-limits.ts';
import { SIGNATURES_PER_SECOND } from '#shared/log/rules/signature-line.ts';
import { parseWitnessedLogs, parseWitnessPolicy } from '#shared/log/rules/witness-settings.ts';
import { RULE_KINDS } from '#shared/organizations/rules/sign-in.ts';
import {
  DELIVERIES_QUEUE,
  EVALUATIONS_QUEUE,
  EXPANSIONS_QUEUE,
  EXPORTS_QUEUE,
  LOG_ENTRIES_QUEUE,
  VISITS_QUEUE,
} from '#shared/queues/queue-definition.ts';
import { TlogError } from '#shared/tlog/errors.ts';
import { RELAY_SOURCE } from '../event-source.ts';

/** The retention times that CloudWatch Logs accepts, in days. `INFINITE` is left out on purpose. */
const RETENTION_DAYS = Object.values(RetentionDays).filter(
  (days): days is number => typeof days === 'number' && days !== RetentionDays.INFINITE,
);

const positive = (unit: string) => {
  const error = `must be a whole number of ${unit}, at least 1`;
  return z.coerce.number({ error }).int({ error }).min(1, { error });
};

const between = (least: number, most: number, unit: string) => {
  const error = `must be a whole number of ${unit} from ${least} to ${most}`;
  return z.coerce.number({ error }).int({ error }).min(least, { error }).max(most, { error });
};

/** Most calls of a function that its queue makes at once. The platform takes no smaller and no larger number. */
const queueCalls = between(2, 1000, 'calls');

const positiveOrNone = (unit: string) => {
  const error = `must be a whole number of ${unit}, or 0`;
  return z.coerce.number({ error }).int({ error }).min(0, { error });
};

/** So many requests in a second, and so many at once after a pause. */
const requestLimit = z
  .string({ error: 'must be text' })
  .refine((text) => readLimit(text) !== undefined, {
    error: 'must be requests in a second and at once, such as 400/2000; the second number is at least the first',
  })
  .optional();

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

/** A text in JSON has one line, so semicolons separate lines as well. */
const oneLineForm = z.string({ error: 'must be text' }).transform((value) => value.replaceAll(/[;\n]\s*/g, '\n'));

/** Resources get some tags from the CDK and from CloudFormation, and can have 50. */
const areTags = (tags: Record<string, string>): boolean =>
  Object.keys(tags).length <= 40 &&
  Object.entries(tags).every(
    ([name, value]) => /^(?!aws:)[\w .:/=+@-]{1,128}$/i.test(name) && /^[\w .:/=+@-]{0,256}$/.test(value),
  );

/** The name of a managed policy of the account, or its ARN. */
const BOUNDARY = /^(?:arn:aws[a-z-]*:iam::(?:\d{12}|aws):policy\/[\w+=,.@/-]+|[\w+=,.@-]{1,128})$/;

const RETENTION_RULE = `must be one of ${RETENTION_DAYS.join(', ')}`;

const EMAIL = /^[^\s@<>,"]+@(?:[A-Za-z0-9-]+\.)+[A-Za-z]{2,63}$/;

/** An issuer is compared with that of tokens byte for byte, so it is kept as it is written. */
const isIssuer = (text: string): boolean => {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, search, hash } = new URL(text);
  return protocol === 'https:' && username + password + search + hash === '' && !/[?#\s]/.test(text);
};

const TAGS_RULE =
  'must be an object of at most 40 tags with texts: names of 1 to 128 characters that do not begin with aws:, and values of at most 256';

/** Numbers and booleans may also be texts. */
export const Settings = z.strictObject({
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
  rootRepository: text(
    /^(?:none|https:\/\/[^\s/?#@]+(?:\/[^\s/?#]+)*)$/,
    'must be none, or an https address without a slash at its end',
  ).transform((address) => (address === 'none' ? undefined : address)),
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
  organizationRequests: requestLimit,
  organizationWrites: requestLimit,
  keyRequests: requestLimit,
  keyWrites: requestLimit,
  publicRequestsPerSecond: positive('requests per second'),
  publicRequestBurst: positive('requests'),
  deliveriesConcurrency: queueCalls,
  expansionsConcurrency: queueCalls,
  evaluationsConcurrency: queueCalls,
  logEntriesConcurrency: queueCalls,
  exportsConcurrency: queueCalls,
  visitsConcurrency: queueCalls,
  maxSignaturesPerSecond: between(1, 10_000, 'signatures per second'),
  streamParallelization: between(1, 10, 'calls'),
  tableReadUnits: positive('read units per second').optional(),
  tableWriteUnits: positive('write units per second').optional(),
  tags: z
    .record(z.string(), z.string({ error: TAGS_RULE }), { error: TAGS_RULE })
    .refine(areTags, { error: TAGS_RULE })
    .default({}),
  backupVaultArn: text(
    /^arn:aws:backup:[a-z0-9-]+:\d{12}:backup-vault:[A-Za-z0-9_-]{2,50}$/,
    'must be the ARN of a backup vault',
  ).optional(),
  replicaBucketArn: text(/^arn:aws:s3:::[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'must be the ARN of a bucket').optional(),
  replicaKeyArn: text(/^arn:aws:kms:[a-z0-9-]+:\d{12}:key\/[0-9a-f-]+$/, 'must be the ARN of a key').optional(),
  dataEventsDays: positive('days').optional(),
  permissionsBoundary: text(BOUNDARY, 'must be the name or the ARN of a managed policy').optional(),
});

/**
 * The settings of one stage.
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
 * - `rootRepository`: where the public trust root is refreshed from; `none` switches that off (rules/verified-evidence.md#refresh)
 * - `signInIssuer`, `signInClientId`: identity provider that people sign in with (rules/sign-in.md#provider), both or neither
 * - `signInSecretName`: name of the encrypted parameter with the client's secret; a client without a secret has none
 * - `signInScopes`, `signInGroupsClaim`: what is asked of the provider, and its claim with the groups of a person
 * - `signInRules`: the kinds of rules that organizations may use to let people in
 * - `requestsPerSecond`, `requestBurst`: throttling of the whole API (rules/requests.md#rate-limits)
 * - `organizationRequests`, `organizationWrites`, `keyRequests`, `keyWrites`: limits of each organization and each key, for all requests
 *   and for changes (rules/requests.md#limits-of-organizations)
 * - `publicRequestsPerSecond`, `publicRequestBurst`: throttling of each route of a public door
 * - `deliveriesConcurrency`, `expansionsConcurrency`, `evaluationsConcurrency`, `logEntriesConcurrency`, `exportsConcurrency`,
 *   `visitsConcurrency`: how many calls each queue makes at once
 * - `maxSignaturesPerSecond`: the most checkpoints that the logs of the region sign in a second (rules/log.md#signatures-of-a-region)
 * - `streamParallelization`: how many calls of the relay each shard of the stream makes at once
 * - `tableReadUnits`, `tableWriteUnits`: the most that the table serves in a second; the limits of the account if absent
 * - `backupVaultArn`: vault of another account or region that gets a copy of the table each day (docs/deploying.md#copies)
 * - `replicaBucketArn`, `replicaKeyArn`: bucket that evidence is replicated to, and the key that encrypts it there; both or neither
 * - `dataEventsDays`: how long records of each write to table and bucket are kept, in days; none are made if absent
 *   (docs/deploying.md#data-events)
 * - `tags`: tags of every resource
 * - `permissionsBoundary`: a managed policy that limits the role of every function
 */
export interface Stage extends z.output<typeof Settings> {
  readonly name: string;
  /** The file with the settings, for messages. */
  readonly file: string;
}

/** The settings that have a default in every stage. */
export const DEFAULTS = {
  logRetentionDays: 90,
  objectLock: false,
  uploadOrigins: '*',
  witnessSeconds: 60,
  rootRepository: 'https://tuf-repo-cdn.sigstore.dev',
  signInScopes: 'openid email',
  signInGroupsClaim: 'groups',
  signInRules: 'domain,group',
  requestsPerSecond: 1000,
  requestBurst: 2000,
  publicRequestsPerSecond: 50,
  publicRequestBurst: 100,
  accountConcurrency: 1000,
  waitingConcurrency: 100,
  deliveriesConcurrency: DELIVERIES_QUEUE.calls,
  expansionsConcurrency: EXPANSIONS_QUEUE.calls,
  evaluationsConcurrency: EVALUATIONS_QUEUE.calls,
  logEntriesConcurrency: LOG_ENTRIES_QUEUE.calls,
  exportsConcurrency: EXPORTS_QUEUE.calls,
  visitsConcurrency: VISITS_QUEUE.calls,
  maxSignaturesPerSecond: SIGNATURES_PER_SECOND,
  streamParallelization: RELAY_SOURCE.parallel,
} satisfies Partial<z.input<typeof Settings>>;
