import type { RelayServices } from '#functions/relay/services.ts';
import type { Services } from '#functions/services.ts';
import type { Log } from '#shared/base/log-lines.ts';
import type { Clock } from '#shared/base/time.ts';
import type { StageLimits } from '#shared/callers/request-limits.ts';
import type { ExpanderServices } from '#shared/environments/effects-context.ts';
import type { ExporterServices } from '#shared/exports/services.ts';
import type { LogServices } from '#shared/log/services.ts';
import type { NotifierServices } from '#shared/notifications/services.ts';
import type { OnRecords } from './events/event-source.ts';
import type { OnMessages } from './events/queues.ts';
import type { Disturbance } from './faults/fault-endpoints.ts';
import type { SignInToken } from './sign-in-token.ts';

/** The options of a stack that the command line passes on as they are. */
export interface StackSettings {
  /** TCP port of the gateway; 0 for any. Bucket and queues get the next two ports if these are free. */
  port: number;
  /** Scheme and authority that links, redirects and statements begin with. @default that of the gateway */
  url?: string | undefined;
  /** Directory of all data. @default in memory */
  dataDir?: string | undefined;
  /** Address of a local database that already runs. @default the stack starts its own */
  database?: string | undefined;
  /** After how many milliseconds a message whose function failed comes again. @default the queues' own time */
  visibilityMillis?: number | undefined;
  /** Whether the functions run from their bundles, as in a region, and not from the sources. */
  bundles?: boolean;
  /** Most processes per function, frozen between calls; only with `bundles`. @default one process for all calls */
  containers?: number | undefined;
  /** Identity provider that people sign in with, as a client without a secret. @default there is none */
  signIn?: { issuer: string; clientId: string } | undefined;
  /** Limits of organizations and keys. @default nobody is limited */
  limits?: StageLimits | undefined;
  /** Delays calls of functions to the servers, or makes them fail. */
  disturbance?: Disturbance | undefined;
}

/** Functions and schedules are used without `bundles` only. */
export interface StackOptions extends StackSettings {
  /** What functions read the time from. @default the clock of the system */
  clock?: Clock;
  /** Runs before the gateway opens. */
  seed?: (services: Services) => Promise<void>;
  /** Creates the function on the stream of the table. */
  relay?: (services: RelayServices) => OnRecords;
  /** Creates the function on the queue of deliveries. */
  notifier?: (services: NotifierServices) => OnMessages;
  /** Creates the function on the queue of expansions. */
  expander?: (services: ExpanderServices) => OnMessages;
  /** Creates the function on the queue of evaluations. */
  evaluator?: (services: Services) => OnMessages;
  /** Creates the function on the queue of entries for logs. */
  integrator?: (services: RelayServices & LogServices) => OnMessages;
  /** Creates the function on the queue of exports. */
  exporter?: (services: ExporterServices) => OnMessages;
  /** Creates the function on the queue of visits. */
  visitor?: (services: RelayServices) => OnMessages;
  /** What the schedules of a region run. */
  schedules?: readonly LocalSchedule[];
  /** Private networks, in CIDR form, that targets of notifications may lie in. */
  allowedNetworks?: readonly string[];
  witness?: LocalWitness;
  /** The token of the sign-in link. @default there is none */
  signInToken?: SignInToken;
  /** Receives the lines of the request log. @default the console */
  log?: Log;
  /** Changes what the functions on the stream and on the queues get and answer, for example to repeat events. */
  disturb?: {
    records: (inner: OnRecords) => OnRecords;
    messages: (inner: OnMessages) => OnMessages;
  };
  /** Divides the intervals of the schedules of bundled functions. @default 1 */
  hurry?: number;
}

/** Settings about witnesses (rules/log.md#settings-of-witnesses). */
export interface LocalWitness {
  /** The policy that says which witnesses cosign the logs of this stack. */
  policy?: string | undefined;
  /** How long no witness is asked again for the same log, in seconds. @default 60 */
  seconds?: number;
  /** Keys of the logs that the witness of this stack cosigns, separated by white space. */
  logs?: string | undefined;
}

/** A task that runs at the start and then at a fixed interval. */
export interface LocalSchedule {
  everySeconds: number;
  run: (services: RelayServices & LogServices) => Promise<unknown>;
}
