import { pageUrl } from '#shared/console/pages.ts';
import type { Links } from './rules/seen.ts';

/** What addresses in an answer begin with. */
export interface ReasonPlace {
  host: string;
  org: { name: string };
}

/** Returns the addresses of the pages that steps of a chain link. */
export function linksOf(place: ReasonPlace): Links {
  const trail = (flow: string, name: string) =>
    pageUrl(place, '/{org}/flows/{flow}/trails/{trail}', { flow, trail: name });
  return {
    trail,
    environment: (env) => pageUrl(place, '/{org}/environments/{env}', { env }),
    policy: (policy) => pageUrl(place, '/{org}/policies/{policy}', { policy }),
    attestation: (flow, name, id) => `${trail(flow, name)}?attestation_id=${id}`,
    evaluation: (evaluation) => pageUrl(place, '/{org}/evaluations/{evaluation}', { evaluation }),
    type: (type) => pageUrl(place, '/{org}/types/{type}', { type }),
  };
}
