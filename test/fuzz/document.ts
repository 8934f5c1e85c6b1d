/** The parts of an OpenAPI document that requests are made from and answers are held to. */

export interface Schema {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  propertyNames?: Schema;
  items?: Schema;
  pattern?: string;
  format?: string;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  minimum?: number;
  maximum?: number;
}

export interface Parameter {
  in: 'path' | 'query' | 'header';
  name: string;
  required?: boolean;
  schema: Schema;
}

type Content = Record<string, { schema: Schema }>;

interface OperationObject {
  operationId: string;
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Content };
  responses: Record<string, { content?: Content }>;
}

export interface Document {
  paths: Record<string, Record<string, unknown>>;
  components: { schemas: Record<string, Schema> };
}

/** One operation with its address. */
export interface Operation extends OperationObject {
  method: string;
  /** Template below the host. */
  path: string;
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/** Every operation, with paths that begin at the host. */
export const operationsOf = ({ paths }: Document, base: string): Operation[] =>
  Object.entries(paths).flatMap(([path, item]) =>
    METHODS.filter((method) => method in item).map((method) => ({
      ...(item[method] as OperationObject),
      method: method.toUpperCase(),
      path: 'servers' in item ? path : base + path,
    })),
  );

/** @throws Error for a reference that leads nowhere */
export function resolve({ components }: Document, schema: Schema): Schema {
  if (schema.$ref === undefined) return schema;
  const name = schema.$ref.replace('#/components/schemas/', '');
  const found = components.schemas[name];
  if (!found) throw new Error(`The document has no ${schema.$ref}`);
  return found;
}
