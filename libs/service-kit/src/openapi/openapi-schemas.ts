import { Injectable } from '@nestjs/common';

type Schemas = Readonly<Record<string, object>>;

/** JSON Schemas that a module's routes name as `#/components/schemas/<name>`. Injectable everywhere. */
@Injectable()
export class OpenApiSchemas {
  private readonly schemas: Record<string, object> = {};

  /** Before the document is asked for: in `onModuleInit`, say. */
  add(schemas: Schemas): void {
    Object.assign(this.schemas, schemas);
  }

  all(): Schemas {
    return this.schemas;
  }
}
