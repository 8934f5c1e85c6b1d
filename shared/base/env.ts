import * as z from 'zod';

/** Settings of functions. Each function reads its settings once, when it starts. The stacks set them. */
const Books = z.object({ TABLE_NAME: z.string().min(1) });

/**
 * Networks in CIDR form that targets may use in addition to the internet, separated by commas; empty in AWS
 * (rules/notifications.md#allowed-addresses).
 */
const Outgoing = z.object({
  ALLOWED_NETWORKS: z
    .string()
    .default('')
    .transform((list) => list.split(',').filter((network) => network !== '')),
});

/** ARNs of the keys that a function may use, and the end of the origins of logs (rules/log.md#origin). */
const Logs = z.object({
  LOG_KEY_ID: z.string().min(1).optional(),
  WITNESS_KEY_ID: z.string().min(1).optional(),
  STATEMENT_KEY_ID: z.string().min(1).optional(),
  LOG_DOMAIN: z.string().min(1).optional(),
});

/** Settings about witnesses (rules/log.md#settings-of-witnesses). */
const WitnessPolicy = z.object({ WITNESS_POLICY: z.string().min(1).optional() });
const Witness = z.object({ ...WitnessPolicy.shape, WITNESS_LOGS: z.string().default('') });

/** The identity provider that people sign in with; only the function that signs them in and the door for agents have it (rules/sign-in.md#provider). */
const SignIn = z.object({
  SIGN_IN_ISSUER: z.string().min(1).optional(),
  SIGN_IN_CLIENT_ID: z.string().min(1).optional(),
  /** Name of the parameter with the secret of the client. */
  SIGN_IN_SECRET_NAME: z.string().min(1).optional(),
  SIGN_IN_SCOPES: z.string().min(1).default('openid email'),
  SIGN_IN_GROUPS_CLAIM: z.string().min(1).default('groups'),
  SIGN_IN_RULES: z
    .string()
    .default('domain,group')
    .transform((list) => list.split(',').filter((kind) => kind !== ''))
    .pipe(z.array(z.enum(['domain', 'group']))),
});

/** Scheme and authority of the API: everything that the service links to, redirects to or signs begins with it. */
const PublicAddress = z.object({
  PUBLIC_URL: z.url().regex(/^https?:\/\/[^/]+$/, 'must be a scheme and an authority'),
});

/** What stands for a version or a commit that nobody stated: tests, and folders without a history. */
const UNKNOWN = 'unknown';

/** Which release a function runs. The stacks and `npm start` set both (rules/requests.md#version). */
const ReleaseSettings = z.object({
  SERVICE_VERSION: z
    .string()
    .regex(/^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$/, 'must be a semantic version')
    .default(UNKNOWN),
  SOURCE_COMMIT: z
    .string()
    .regex(/^(?:[0-9a-f]{40}(?:-modified)?|unknown)$/, 'must be a commit of 40 characters in hex, or unknown')
    .default(UNKNOWN),
});
type ReleaseSettings = z.infer<typeof ReleaseSettings>;

/** The limits of organizations and keys, as JSON. Without them nobody is limited (rules/requests.md#limits-of-organizations). */
const Limits = z.object({ REQUEST_LIMITS: z.string().optional() });

const Environment = z.object({
  ...Books.shape,
  ...Limits.shape,
  ...PublicAddress.shape,
  ...Outgoing.shape,
  ...Logs.shape,
  ...Witness.shape,
  ...SignIn.shape,
  BUCKET_NAME: z.string().min(1),
  /** Absolute path of the packaged child process of the engines. Default: the child process runs from its sources. */
  ENGINES_PATH: z.string().startsWith('/').optional(),
  /** Absolute path of the packaged child process that evaluates policies. */
  POLICIES_PATH: z.string().startsWith('/').optional(),
});
export type Environment = z.infer<typeof Environment>;

const Deliveries = z.object({ ...Books.shape, DELIVERIES_URL: z.url() });

const ExpanderEnvironment = z.object({ ...Deliveries.shape, EXPANSIONS_URL: z.url(), BUCKET_NAME: z.string().min(1) });
type ExpanderEnvironment = z.infer<typeof ExpanderEnvironment>;

const RelayEnvironment = z.object({
  ...ExpanderEnvironment.shape,
  EVALUATIONS_URL: z.url(),
  LOG_ENTRIES_URL: z.url(),
  EXPORTS_URL: z.url(),
  VISITS_URL: z.url(),
});
type RelayEnvironment = z.infer<typeof RelayEnvironment>;

const IntegratorEnvironment = z.object({
  ...Books.shape,
  ...Outgoing.shape,
  ...WitnessPolicy.shape,
  /** How long no witness is asked again for the same log, in seconds. */
  WITNESS_SECONDS: z.coerce.number().int().min(1).default(60),
  /** Most signatures of checkpoints in a second (rules/log.md#signatures-of-a-region). */
  SIGNATURES_PER_SECOND: z.coerce.number().int().min(1),
  BUCKET_NAME: z.string().min(1),
  LOG_ENTRIES_URL: z.url(),
  LOG_DOMAIN: z.string().min(1),
  LOG_KEY_ID: z.string().min(1),
});
type IntegratorEnvironment = z.infer<typeof IntegratorEnvironment>;

const ExporterEnvironment = z.object({
  ...Books.shape,
  ...WitnessPolicy.shape,
  BUCKET_NAME: z.string().min(1),
  EXPORTS_URL: z.url(),
  LOG_KEY_ID: z.string().min(1),
  STATEMENT_KEY_ID: z.string().min(1),
});
type ExporterEnvironment = z.infer<typeof ExporterEnvironment>;

const NotifierEnvironment = z.object({
  ...Deliveries.shape,
  ...PublicAddress.shape,
  ...Outgoing.shape,
  /** Verified sender address of mail. Without it no mail is sent. */
  MAIL_SENDER: z.string().min(3).optional(),
  /** Address of the repository of public trust roots. Without it they are not refreshed. */
  ROOT_REPOSITORY: z.url().optional(),
});
type NotifierEnvironment = z.infer<typeof NotifierEnvironment>;

type Source = Record<string, string | undefined>;

/**
 * Reads the settings of an endpoint function. Besides this file, only entry points below `infra/` read the environment.
 * @throws Error that names the missing settings
 */
export const loadEnvironment = (source: Source = process.env): Environment => Environment.parse(source);

/** Reads which release a function runs. @throws Error that names the wrong settings */
export const loadReleaseSettings = (source: Source = process.env): ReleaseSettings => ReleaseSettings.parse(source);

/** Reads the settings of a function that only reads the table. @throws Error that names the missing settings */
export const loadBooks = (source: Source = process.env): z.infer<typeof Books> => Books.parse(source);

/** Reads the settings of the relay. @throws Error that names the missing settings */
export const loadRelayEnvironment = (source: Source = process.env): RelayEnvironment => RelayEnvironment.parse(source);

/** Reads the settings of the expander. @throws Error that names the missing settings */
export const loadExpanderEnvironment = (source: Source = process.env): ExpanderEnvironment =>
  ExpanderEnvironment.parse(source);

/** Reads the settings of the notifier. @throws Error that names the missing settings */
export const loadNotifierEnvironment = (source: Source = process.env): NotifierEnvironment =>
  NotifierEnvironment.parse(source);

/** Reads the settings of the integrator. @throws Error that names the missing settings */
export const loadIntegratorEnvironment = (source: Source = process.env): IntegratorEnvironment =>
  IntegratorEnvironment.parse(source);

/** Reads the settings of the exporter. @throws Error that names the missing settings */
export const loadExporterEnvironment = (source: Source = process.env): ExporterEnvironment =>
  ExporterEnvironment.parse(source);
