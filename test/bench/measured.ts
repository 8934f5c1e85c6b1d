import type { EndpointGroup } from '#shared/http/endpoint.ts';
import type { BenchRequest } from './client.ts';

/** A request that is measured. */
export interface MeasuredRequest {
  name: string;
  group: EndpointGroup;
  kind: 'read' | 'write';
  expected: number;
  /** Builds the n-th request to an organization. @param trails the number of trails in the organization */
  build(org: string, n: number, trails: number): BenchRequest;
}

type Build = MeasuredRequest['build'];
const measured =
  (kind: MeasuredRequest['kind'], expected: number) =>
  (group: EndpointGroup, name: string, build: Build): MeasuredRequest => ({ name, group, kind, expected, build });

export const read = measured('read', 200);
/** A write that answers 201. */
export const create = measured('write', 201);
/** A write that answers 200. */
export const update = measured('write', 200);

export const get =
  (path: (org: string, n: number, trails: number) => string, query?: string): Build =>
  (org, n, trails) => ({ method: 'GET', path: path(org, n, trails), ...(query !== undefined && { query }) });
