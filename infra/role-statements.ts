/** Reads the rights of functions from a synthesized template. */

/** A statement as it stands in a template. Resources can be functions of CloudFormation. */
export interface TemplateStatement {
  Effect: 'Allow' | 'Deny';
  Action: string | string[];
  Resource: unknown;
  Principal?: unknown;
  Condition?: Record<string, Record<string, string | string[]>>;
}

/** The part of a template that tells rights. */
export interface TemplateJson {
  Resources: Record<string, { Type: string; Properties: Record<string, unknown> }>;
  Outputs?: Record<string, { Value: unknown; Export?: { Name: string } }>;
}

export const resourcesOfType = ({ Resources }: TemplateJson, type: string) =>
  Object.entries(Resources).filter(([, resource]) => resource.Type === type);

/**
 * Returns the statements of each function's role by the name of the function. The description of a role names its function
 * (`constructs/service-function.ts`).
 *
 * @throws Error if a role has rights that are not in an `AWS::IAM::Policy`
 */
export function statementsByFunction(service: TemplateJson): Map<string, TemplateStatement[]> {
  const byRole = new Map<string, TemplateStatement[]>();
  for (const [, { Properties }] of resourcesOfType(service, 'AWS::IAM::Policy')) {
    // CloudFormation says which properties a policy has.
    const { PolicyDocument, Roles } = Properties as {
      PolicyDocument: { Statement: TemplateStatement[] };
      Roles: { Ref: string }[];
    };
    for (const { Ref } of Roles) byRole.set(Ref, [...(byRole.get(Ref) ?? []), ...PolicyDocument.Statement]);
  }
  return new Map(
    resourcesOfType(service, 'AWS::IAM::Role').map(([role, { Properties }]) => {
      const hidden = ['Policies', 'ManagedPolicyArns', 'PermissionsBoundary'].filter((name) => name in Properties);
      if (hidden.length > 0) throw new Error(`The role ${role} has ${hidden.join(', ')}, which nothing reads`);
      const name = String(Properties['Description']).replace(/^What the function (.+) may do$/, '$1');
      return [name, byRole.get(role) ?? []];
    }),
  );
}
