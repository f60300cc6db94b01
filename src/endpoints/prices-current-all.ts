import { allFunds } from '../contract/endpoint.ts'
import pricesCurrent from './prices-current.ts'

export default allFunds(pricesCurrent, {
  id: 'prices-current-all',
  path: '/api/v1/prices-current-all/',
  summary: 'Current prices of all funds',
})
