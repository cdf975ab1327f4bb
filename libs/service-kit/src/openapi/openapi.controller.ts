import { Controller, Get, Inject, type INestApplication, Injectable } from '@nestjs/common';
import { ApiExcludeController, type OpenAPIObject } from '@nestjs/swagger';
import { Public } from '../identity/access.ts';
import { openApiDocument } from './openapi-document.ts';

/** Holds the application, which exists only after its modules. */
@Injectable()
export class OpenApiSource {
  private describe: (() => OpenAPIObject) | undefined;
  private document: OpenAPIObject | undefined;

  describes(application: INestApplication, name: string): void {
    this.describe = () => openApiDocument(application, name);
  }

  /** The document, made at the first question. */
  read(): OpenAPIObject {
    return (this.document ??= this.describe?.() ?? { openapi: '3.1.0', info: { title: '', version: '' }, paths: {} });
  }
}

@Public()
@ApiExcludeController()
@Controller('openapi.json')
export class OpenApiController {
  constructor(@Inject(OpenApiSource) private readonly source: OpenApiSource) {}

  @Get()
  show(): OpenAPIObject {
    return this.source.read();
  }
}
