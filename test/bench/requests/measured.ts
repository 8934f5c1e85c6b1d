import type { EndpointGroup } from '#shared/http/endpoint.ts';
import type { BenchRequest } from '../client.ts';
import type { FloorRule } from './floors.ts';

/** A request that is measured. */
export interface MeasuredRequest {
  name: string;
  group: EndpointGroup;
  kind: 'read' | 'write';
  expected: number;
  /** Builds the n-th request to an organization. @param trails the number of trails in the organization */
  build(org: string, n: number, trails: number): BenchRequest;
  /** The least that a read can cost. */
  floor?: FloorRule;
}

type Build = MeasuredRequest['build'];
const write =
  (expected: number) =>
  (group: EndpointGroup, name: string, build: Build): MeasuredRequest => ({
    name,
    group,
    kind: 'write',
    expected,
    build,
  });

export const read = (group: EndpointGroup, name: string, build: Build, floor: FloorRule): MeasuredRequest => ({
  name,
  group,
  kind: 'read',
  expected: 200,
  build,
  floor,
});
/** A write that answers 201. */
export const create = write(201);
/** A write that answers 200. */
export const update = write(200);

export const get =
  (path: (org: string, n: number, trails: number) => string, query?: string): Build =>
  (org, n, trails) => ({ method: 'GET', path: path(org, n, trails), ...(query !== undefined && { query }) });
