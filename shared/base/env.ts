import * as z from 'zod';

/**
 * Settings of functions, each read once when its function starts; the stacks set them together with the permission to
 * use them.
 */
const Books = z.object({ TABLE_NAME: z.string().min(1) });

/** Networks in CIDR form that targets may have beside the internet, separated by commas; none in AWS (design §6). */
const Outgoing = z.object({
  ALLOWED_NETWORKS: z
    .string()
    .default('')
    .transform((list) => list.split(',').filter((network) => network !== '')),
});

const Environment = z.object({
  ...Books.shape,
  ...Outgoing.shape,
  BUCKET_NAME: z.string().min(1),
  /** Absolute path of the engines' packaged child process; without it the child is run from its sources. */
  ENGINES_PATH: z.string().startsWith('/').optional(),
  /** The same of the process that policies are evaluated in. */
  POLICIES_PATH: z.string().startsWith('/').optional(),
});
export type Environment = z.infer<typeof Environment>;

const Deliveries = z.object({ ...Books.shape, DELIVERIES_URL: z.url() });

const RelayEnvironment = z.object({ ...Deliveries.shape, EVALUATIONS_URL: z.url(), BUCKET_NAME: z.string().min(1) });
export type RelayEnvironment = z.infer<typeof RelayEnvironment>;

const NotifierEnvironment = z.object({
  ...Deliveries.shape,
  ...Outgoing.shape,
  /** Scheme and authority of the API, for addresses in what is sent. */
  PUBLIC_URL: z.url(),
  /** Verified sender of mail; without it no mail is sent. */
  MAIL_SENDER: z.string().min(3).optional(),
});
export type NotifierEnvironment = z.infer<typeof NotifierEnvironment>;

type Source = Record<string, string | undefined>;

/**
 * With its two siblings the only reader of the process's environment besides entry points below `infra/`.
 * @throws Error naming the settings that are missing
 */
export const loadEnvironment = (source: Source = process.env): Environment => Environment.parse(source);

/** Settings of the relay. @throws Error naming the settings that are missing */
export const loadRelayEnvironment = (source: Source = process.env): RelayEnvironment => RelayEnvironment.parse(source);

/** Settings of the notifier. @throws Error naming the settings that are missing */
export const loadNotifierEnvironment = (source: Source = process.env): NotifierEnvironment =>
  NotifierEnvironment.parse(source);
