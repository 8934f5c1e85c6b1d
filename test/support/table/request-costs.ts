import { fromSeconds } from '#shared/base/time.ts';
import type { TestApi } from '../api.ts';
import type { EvidenceOfOrganization } from '../evidence.ts';

/** The cost of a request without its authentication. */
export interface RequestCost {
  status: number;
  json: unknown;
  /** Sequential round trips to AWS. */
  trips: number;
  /** AWS calls. */
  calls: number;
}

/** Longer than authentication remembers what it read. */
const FORGOTTEN = fromSeconds(31);

/**
 * Has the function read the caller again, so that the next request does not read it, however long the test has run.
 * @param send sends any request of the caller
 */
export async function warmUp({ services }: TestApi, send: () => Promise<unknown>): Promise<void> {
  services.clock.advance(FORGOTTEN);
  await send();
}

/** Returns a function that sends GET requests of an admin and returns what the access log says of their cost. */
export const requestCosts =
  (api: TestApi) =>
  async (acme: EvidenceOfOrganization, path: string, query = ''): Promise<RequestCost> => {
    await warmUp(api, () => acme.get(`/flows/${acme.org}/nope`));
    const { status, json } = await acme.get(path, query);
    const logged = api.entries.findLast((entry) => 'aws_calls' in entry) as unknown as Record<string, number>;
    return { status, json, trips: logged['aws_sequential'] ?? 0, calls: logged['aws_calls'] ?? 0 };
  };
