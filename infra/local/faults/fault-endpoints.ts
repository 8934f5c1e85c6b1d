import { type Fault, type Service, startFaultProxy } from './fault-proxy.ts';

/** The addresses of the database, the bucket, the queues and the key server. */
export type Endpoints = Record<Service, string>;

/** How calls of functions are disturbed on their way to the servers. */
export interface Disturbance {
  /** Time that is added to every call, in milliseconds. */
  latencyMillis?: number;
  /** Returns the fault of the next call, or undefined for none. */
  decide?: (service: Service, operation: string) => Fault | undefined;
}

/**
 * Starts a proxy with faults in front of each server.
 * @returns the addresses of the proxies, and `stop`, which ends them
 */
export async function startFaultEndpoints(
  servers: Endpoints,
  { latencyMillis = 0, decide = () => undefined }: Disturbance,
): Promise<{ endpoints: Endpoints; stop: () => Promise<void> }> {
  const start = (service: Service) =>
    startFaultProxy(service, servers[service], { latencyMillis, decide: (operation) => decide(service, operation) });
  const [dynamodb, s3, sqs, kms] = await Promise.all([start('dynamodb'), start('s3'), start('sqs'), start('kms')]);
  return {
    endpoints: { dynamodb: dynamodb.endpoint, s3: s3.endpoint, sqs: sqs.endpoint, kms: kms.endpoint },
    stop: async () => {
      await Promise.all([dynamodb.stop(), s3.stop(), sqs.stop(), kms.stop()]);
    },
  };
}

/** Refuses a share of all calls because the service is busy. @param random from 0 up to 1 */
export const throttling =
  (share: number, random: () => number = Math.random) =>
  (): Fault | undefined =>
    random() < share ? 'throttle' : undefined;
