export { ManagementApiModule } from './management-api.module.ts';
