//go:build (linux || darwin || windows) && (amd64 || arm64) && !noopencl

package cldriver

// fn numbers the functions of an OpenCL library. Those that a library lacks stay 0 in its table,
// and calls that need them are Unsupported: only the first is a must.
type fn uint8

const (
	getPlatformIDs fn = iota
	getPlatformInfo
	getDeviceIDs
	getDeviceInfo
	createSubDevices
	releaseDevice
	createContext
	createContextFromType
	getContextInfo
	releaseContext
	createCommandQueue
	createCommandQueueWithProperties
	getCommandQueueInfo
	releaseCommandQueue
	createBuffer
	createSubBuffer
	createImage
	getSupportedImageFormats
	getMemObjectInfo
	getImageInfo
	releaseMemObject
	createSampler
	createSamplerWithProperties
	getSamplerInfo
	releaseSampler
	createProgramWithSource
	createProgramWithBinary
	createProgramWithBuiltInKernels
	createProgramWithIL
	buildProgram
	getProgramInfo
	getProgramBuildInfo
	releaseProgram
	createKernel
	createKernelsInProgram
	setKernelArg
	setKernelArgSVMPointer
	setKernelExecInfo
	getKernelInfo
	getKernelArgInfo
	getKernelWorkGroupInfo
	getKernelSubGroupInfo
	getKernelSubGroupInfoKHR
	releaseKernel
	waitForEvents
	getEventInfo
	getEventProfilingInfo
	createUserEvent
	setUserEventStatus
	releaseEvent
	flush
	finish
	enqueueReadBuffer
	enqueueReadBufferRect
	enqueueWriteBuffer
	enqueueWriteBufferRect
	enqueueFillBuffer
	enqueueCopyBuffer
	enqueueCopyBufferRect
	enqueueReadImage
	enqueueWriteImage
	enqueueFillImage
	enqueueCopyImage
	enqueueCopyImageToBuffer
	enqueueCopyBufferToImage
	enqueueMapBuffer
	enqueueMapImage
	enqueueUnmapMemObject
	enqueueMigrateMemObjects
	enqueueNDRangeKernel
	enqueueMarkerWithWaitList
	enqueueBarrierWithWaitList
	svmAlloc
	svmFree
	enqueueSVMMemcpy
	enqueueSVMMemFill
	enqueueSVMMap
	enqueueSVMUnmap
	getExtensionFunctionAddressForPlatform
	fnCount
)

var fnNames = [fnCount]string{
	getPlatformIDs:                         "clGetPlatformIDs",
	getPlatformInfo:                        "clGetPlatformInfo",
	getDeviceIDs:                           "clGetDeviceIDs",
	getDeviceInfo:                          "clGetDeviceInfo",
	createSubDevices:                       "clCreateSubDevices",
	releaseDevice:                          "clReleaseDevice",
	createContext:                          "clCreateContext",
	createContextFromType:                  "clCreateContextFromType",
	getContextInfo:                         "clGetContextInfo",
	releaseContext:                         "clReleaseContext",
	createCommandQueue:                     "clCreateCommandQueue",
	createCommandQueueWithProperties:       "clCreateCommandQueueWithProperties",
	getCommandQueueInfo:                    "clGetCommandQueueInfo",
	releaseCommandQueue:                    "clReleaseCommandQueue",
	createBuffer:                           "clCreateBuffer",
	createSubBuffer:                        "clCreateSubBuffer",
	createImage:                            "clCreateImage",
	getSupportedImageFormats:               "clGetSupportedImageFormats",
	getMemObjectInfo:                       "clGetMemObjectInfo",
	getImageInfo:                           "clGetImageInfo",
	releaseMemObject:                       "clReleaseMemObject",
	createSampler:                          "clCreateSampler",
	createSamplerWithProperties:            "clCreateSamplerWithProperties",
	getSamplerInfo:                         "clGetSamplerInfo",
	releaseSampler:                         "clReleaseSampler",
	createProgramWithSource:                "clCreateProgramWithSource",
	createProgramWithBinary:                "clCreateProgramWithBinary",
	createProgramWithBuiltInKernels:        "clCreateProgramWithBuiltInKernels",
	createProgramWithIL:                    "clCreateProgramWithIL",
	buildProgram:                           "clBuildProgram",
	getProgramInfo:                         "clGetProgramInfo",
	getProgramBuildInfo:                    "clGetProgramBuildInfo",
	releaseProgram:                         "clReleaseProgram",
	createKernel:                           "clCreateKernel",
	createKernelsInProgram:                 "clCreateKernelsInProgram",
	setKernelArg:                           "clSetKernelArg",
	setKernelArgSVMPointer:                 "clSetKernelArgSVMPointer",
	setKernelExecInfo:                      "clSetKernelExecInfo",
	getKernelInfo:                          "clGetKernelInfo",
	getKernelArgInfo:                       "clGetKernelArgInfo",
	getKernelWorkGroupInfo:                 "clGetKernelWorkGroupInfo",
	getKernelSubGroupInfo:                  "clGetKernelSubGroupInfo",
	getKernelSubGroupInfoKHR:               "clGetKernelSubGroupInfoKHR",
	releaseKernel:                          "clReleaseKernel",
	waitForEvents:                          "clWaitForEvents",
	getEventInfo:                           "clGetEventInfo",
	getEventProfilingInfo:                  "clGetEventProfilingInfo",
	createUserEvent:                        "clCreateUserEvent",
	setUserEventStatus:                     "clSetUserEventStatus",
	releaseEvent:                           "clReleaseEvent",
	flush:                                  "clFlush",
	finish:                                 "clFinish",
	enqueueReadBuffer:                      "clEnqueueReadBuffer",
	enqueueReadBufferRect:                  "clEnqueueReadBufferRect",
	enqueueWriteBuffer:                     "clEnqueueWriteBuffer",
	enqueueWriteBufferRect:                 "clEnqueueWriteBufferRect",
	enqueueFillBuffer:                      "clEnqueueFillBuffer",
	enqueueCopyBuffer:                      "clEnqueueCopyBuffer",
	enqueueCopyBufferRect:                  "clEnqueueCopyBufferRect",
	enqueueReadImage:                       "clEnqueueReadImage",
	enqueueWriteImage:                      "clEnqueueWriteImage",
	enqueueFillImage:                       "clEnqueueFillImage",
	enqueueCopyImage:                       "clEnqueueCopyImage",
	enqueueCopyImageToBuffer:               "clEnqueueCopyImageToBuffer",
	enqueueCopyBufferToImage:               "clEnqueueCopyBufferToImage",
	enqueueMapBuffer:                       "clEnqueueMapBuffer",
	enqueueMapImage:                        "clEnqueueMapImage",
	enqueueUnmapMemObject:                  "clEnqueueUnmapMemObject",
	enqueueMigrateMemObjects:               "clEnqueueMigrateMemObjects",
	enqueueNDRangeKernel:                   "clEnqueueNDRangeKernel",
	enqueueMarkerWithWaitList:              "clEnqueueMarkerWithWaitList",
	enqueueBarrierWithWaitList:             "clEnqueueBarrierWithWaitList",
	svmAlloc:                               "clSVMAlloc",
	svmFree:                                "clSVMFree",
	enqueueSVMMemcpy:                       "clEnqueueSVMMemcpy",
	enqueueSVMMemFill:                      "clEnqueueSVMMemFill",
	enqueueSVMMap:                          "clEnqueueSVMMap",
	enqueueSVMUnmap:                        "clEnqueueSVMUnmap",
	getExtensionFunctionAddressForPlatform: "clGetExtensionFunctionAddressForPlatform",
}
