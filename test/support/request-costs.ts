import type { TestApi } from './api.ts';
import type { EvidenceOfOrganization } from './evidence.ts';

/** The cost of a request without its authentication. */
export interface RequestCost {
  status: number;
  json: unknown;
  /** Sequential round trips to AWS. */
  trips: number;
  /** AWS calls. */
  calls: number;
}

/** Returns a function that sends GET requests of an admin and returns what the access log says of their cost. */
export const requestCosts =
  (api: TestApi) =>
  async (acme: EvidenceOfOrganization, path: string, query = ''): Promise<RequestCost> => {
    // The function remembers the caller of an earlier request.
    await acme.get(`/flows/${acme.org}/nope`);
    const { status, json } = await acme.get(path, query);
    const logged = api.entries.findLast((entry) => 'aws_calls' in entry) as unknown as Record<string, number>;
    return { status, json, trips: logged['aws_sequential'] ?? 0, calls: logged['aws_calls'] ?? 0 };
  };
