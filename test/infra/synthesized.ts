import { Template } from 'aws-cdk-lib/assertions';
import { addRegion, createApp } from '#infra/deployment.ts';
import { readStages, type StageName } from '#infra/stages.ts';
import type { Endpoint, EndpointGroup } from '#shared/http/endpoint.ts';

/** Keeps the toolkit from bundling: templates say the same without it, in a tenth of the time. */
const WITHOUT_BUNDLING = { 'aws:cdk:bundling-stacks': [] };

export interface RegionTemplates {
  stateful: Template;
  service: Template;
}

/** The templates of every region, as they would be deployed with the given settings and groups. */
export function synthesize(
  groups: readonly EndpointGroup[],
  context: Record<string, unknown> = {},
): Record<StageName, RegionTemplates> {
  const app = createApp({ ...context, ...WITHOUT_BUNDLING });
  const regions = readStages(app.node.getAllContext()).map(
    (stage) => [stage.name, addRegion(app, stage, groups)] as const,
  );
  // Templates come last: the app may not grow once it was synthesized.
  const templates = regions.map(([name, { stateful, service }]) => [
    name,
    { stateful: Template.fromStack(stateful), service: Template.fromStack(service) },
  ]);
  return Object.fromEntries(templates);
}

/** The part of a definition that the stacks look at. */
export const aRoute = (method: Endpoint['method'], path: string): Endpoint =>
  ({ method, path, operation: `${method} ${path}` }) as Endpoint;

/** The properties of every resource of a type by logical id, in the shape that the caller knows them to have. */
export const resourcesOf = <P>(template: Template, type: string): Record<string, P> =>
  Object.fromEntries(
    Object.entries(template.findResources(type)).map(([id, resource]) => [id, resource['Properties'] as P]),
  );
