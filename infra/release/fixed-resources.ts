import { loadAwsServiceSpecSync } from '@aws-cdk/aws-service-spec';
import type { Template } from 'aws-cdk-lib/assertions';
import * as z from 'zod';
import type { RegionTemplates } from '../templates.ts';

/** A resource of a stack, reduced to what decides whether an update of the stack replaces it. */
export const FixedResource = z.strictObject({
  stack: z.enum(['stateful', 'service', 'watch']),
  /** The logical id. */
  id: z.string(),
  type: z.string(),
  /** Present if CloudFormation keeps the resource when it leaves the stack. */
  retained: z.literal(true).optional(),
  /** The values of the properties that CloudFormation can change only with a new resource. */
  fixed: z.record(z.string(), z.unknown()),
});
export type FixedResource = z.infer<typeof FixedResource>;

interface Resource {
  Type: string;
  DeletionPolicy?: string;
  Properties?: Record<string, unknown>;
}

/**
 * Types that are left out. Routes and integrations hold nothing, nobody refers to them from outside of the stack, and a
 * deployment makes new ones before it deletes old ones.
 */
const LEFT_OUT: ReadonlySet<string> = new Set(['AWS::ApiGatewayV2::Route', 'AWS::ApiGatewayV2::Integration']);

/** Returns the resources of all stacks of a region in their reduced form. */
export const fixedResources = ({ stateful, service, watch }: RegionTemplates): FixedResource[] => [
  ...resourcesOf('stateful', stateful),
  ...resourcesOf('service', service),
  ...resourcesOf('watch', watch),
];

function resourcesOf(stack: FixedResource['stack'], template: Template): FixedResource[] {
  // The CDK does not type the templates that it writes.
  const resources = Object.entries(template.toJSON()['Resources'] as Record<string, Resource>);
  const compared = resources.filter(([, { Type }]) => !LEFT_OUT.has(Type));
  return compared.map(([id, { Type: type, DeletionPolicy, Properties = {} }]) => {
    const names = replacingProperties(type);
    const fixed = Object.entries(Properties).filter(([name]) => names.has(name));
    const isRetained = DeletionPolicy?.startsWith('Retain');
    return { stack, id, type, ...(isRetained && { retained: true }), fixed: Object.fromEntries(fixed) };
  });
}

/** The published specification of all resource types. Loading it takes most of a second. */
const specification = loadAwsServiceSpecSync();

/** Returns the names of the properties whose change replaces a resource of a type. */
export function replacingProperties(type: string): ReadonlySet<string> {
  const [resource] = specification.lookup('resource', 'cloudFormationType', 'equals', type);
  if (!resource) throw new Error(`The specification has no resource type ${type}: update @aws-cdk/aws-service-spec`);
  const replacing = Object.entries(resource.properties).filter(
    ([, { causesReplacement = 'no' }]) => causesReplacement !== 'no',
  );
  return new Set(replacing.map(([name]) => name));
}
